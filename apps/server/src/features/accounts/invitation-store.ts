import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Adds an invitation to register, by its token's hash. */
export async function insertInvitation(
  reader: Reader,
  invitation: { sha256: Uint8Array; administrator: boolean; now: Date; expiresAt: Date },
): Promise<void> {
  await reader
    .insertInto("registration_invitations")
    .values({
      token_sha256: invitation.sha256,
      administrator: invitation.administrator,
      created_at: invitation.now,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

/** Whether an invitation can still be used. */
export async function isInvited(reader: Reader, { sha256, now }: { sha256: Uint8Array; now: Date }): Promise<boolean> {
  const row = await reader
    .selectFrom("registration_invitations")
    .select("administrator")
    .where("token_sha256", "=", sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether there is an invitation that can still be used. */
export async function isAnybodyInvited(reader: Reader, now: Date): Promise<boolean> {
  const row = await reader
    .selectFrom("registration_invitations")
    .select("administrator")
    .where("expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses an invitation up; null where it was used, or is too old. */
export async function takeInvitation(
  trx: Transaction,
  { sha256, now }: { sha256: Uint8Array; now: Date },
): Promise<{ readonly administrator: boolean } | null> {
  const row = await trx
    .deleteFrom("registration_invitations")
    .where("token_sha256", "=", sha256)
    .where("expires_at", ">", now)
    .returning("administrator")
    .executeTakeFirst();
  return row ?? null;
}

/** Removes invitations that ended before that moment. */
export async function deleteEndedInvitations(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("registration_invitations").where("expires_at", "<", before).execute();
}

/** Makes an account an administrator, once its address is its owner's: a stranger may have it activated by whatever opens links. False when there is none. */
export async function promoteAccount(reader: Reader, emailKey: string): Promise<boolean> {
  const rows = await reader
    .updateTable("users")
    .set({ administrator: true })
    .where("email_key", "=", emailKey)
    .where("activated_at", "is not", null)
    .where("address_confirmed_at", "is not", null)
    .where("deactivated_at", "is", null)
    .returning("id")
    .execute();
  return rows.length === 1;
}

/** Gives the addresses of the administrators whose account is activated. */
export async function listAdministrators(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("users")
    .select("email")
    .where("administrator", "=", true)
    .where("activated_at", "is not", null)
    .where("deactivated_at", "is", null)
    .orderBy("email")
    .execute();
  return rows.map(({ email }) => email);
}
