import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Ids of open envelopes whose deadline is so near that a warning may be due, the nearest first. */
export async function selectNearDeadline(
  reader: Reader,
  window: { readonly now: Date; readonly limit: number; readonly skip: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from envelopes
    where status in ('sent', 'pending') and purged_at is null
      and deadline_at > ${window.now} and deadline_at <= ${window.now}::timestamptz + interval '48 hours'
      and ((deadline_at <= ${window.now}::timestamptz + interval '24 hours' and sent_at <= deadline_at - interval '24 hours'
            and coalesce(deadline_warned_days, 9) > 1)
        or (sent_at <= deadline_at - interval '48 hours' and coalesce(deadline_warned_days, 9) > 2))
    order by deadline_at, id limit ${window.limit} offset ${window.skip}`.execute(reader);
  return rows.map((row) => row.id);
}

/** Gives the last warning given about an envelope's deadline. */
export async function selectWarnedDays(reader: Reader, envelopeId: string): Promise<number | null> {
  const row = await reader.selectFrom("envelopes").select("deadline_warned_days").where("id", "=", envelopeId).executeTakeFirst();
  return row?.deadline_warned_days ?? null;
}

/** Notes a warning. The envelope itself does not change: its version stays. */
export async function updateWarned(trx: Transaction, warned: { readonly envelopeId: string; readonly days: number | null }): Promise<void> {
  await trx.updateTable("envelopes").set({ deadline_warned_days: warned.days }).where("id", "=", warned.envelopeId).execute();
}
