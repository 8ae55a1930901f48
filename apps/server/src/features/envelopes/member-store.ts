import type { Reader } from "../../platform/database/database.ts";
import type { Member } from "../notices/public.ts";

/** Gives the accounts of these addresses, confirmed by a person, whose owners chose push messages, by e-mail key. */
export async function selectPushMembers(reader: Reader, emailKeys: readonly string[]): Promise<ReadonlyMap<string, Member>> {
  if (emailKeys.length === 0) return new Map();
  const rows = await reader
    .selectFrom("users")
    .select([
      "id",
      "email",
      "email_key",
      "first_name",
      "last_name",
      "username",
      "phone_number",
      "phone_verified_at",
      "notify_email",
      "notify_sms",
      "quiet_hours",
      "daily_summary",
    ])
    .where("email_key", "in", emailKeys)
    .where("notify_push", "=", true)
    .where("address_confirmed_at", "is not", null)
    .where("deactivated_at", "is", null)
    .execute();
  return new Map(
    rows.map((row) => [
      row.email_key,
      {
        id: row.id,
        fullName: `${row.first_name} ${row.last_name}`.trim() || row.username,
        email: row.email,
        verifiedPhone: row.phone_verified_at === null ? null : row.phone_number,
        channels: { email: row.notify_email, sms: row.notify_sms, push: true },
        rhythm: { quietHours: row.quiet_hours, dailySummary: row.daily_summary },
      },
    ]),
  );
}
