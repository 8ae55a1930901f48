import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Ids of open envelopes in which an automatic reminder may be due, the longest awaited first. */
export async function selectReminderDue(
  reader: Reader,
  window: { readonly now: Date; readonly limit: number; readonly skip: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom("envelopes")
    .select("id")
    .where("status", "in", ["sent", "pending"])
    .where("purged_at", "is", null)
    .where("next_reminder_at", "<=", window.now)
    .orderBy("next_reminder_at")
    .orderBy("id")
    .limit(window.limit)
    .offset(window.skip)
    .execute();
  return rows.map((row) => row.id);
}

/** Has the envelope looked at by this moment, if it was not to be before. The envelope itself does not change: its version stays. */
export async function bringReminderForward(trx: Transaction, next: { readonly envelopeId: string; readonly at: Date }): Promise<void> {
  await trx
    .updateTable("envelopes")
    .set({ next_reminder_at: sql<Date>`least(next_reminder_at, ${next.at}::timestamptz)` })
    .where("id", "=", next.envelopeId)
    .execute();
}

/** Sets when the envelope is looked at again; null: once somebody is asked anew. */
export async function setNextReminder(trx: Transaction, next: { readonly envelopeId: string; readonly at: Date | null }): Promise<void> {
  await trx.updateTable("envelopes").set({ next_reminder_at: next.at }).where("id", "=", next.envelopeId).execute();
}

/** Gives when the sender was last told that somebody wishes for a longer deadline. */
export async function selectExtensionRequestedAt(reader: Reader, envelopeId: string): Promise<Date | null> {
  const row = await reader.selectFrom("envelopes").select("extension_requested_at").where("id", "=", envelopeId).executeTakeFirst();
  return row?.extension_requested_at ?? null;
}

/** Notes that the sender is told now. The envelope itself does not change: its version stays. */
export async function updateExtensionRequested(trx: Transaction, told: { readonly envelopeId: string; readonly now: Date }): Promise<void> {
  await trx.updateTable("envelopes").set({ extension_requested_at: told.now }).where("id", "=", told.envelopeId).execute();
}
