import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";

/** Ends the messages that should have been given up long ago: their jobs are gone. One that waited for a morning is as old as that morning. */
export async function endForgotten(reader: Reader, end: { dueBefore: Date; answer: string; at: Date }): Promise<void> {
  await reader
    .updateTable("notices")
    .set({ state: "refused", server_answer: end.answer, content_wrapped: null, ended_at: end.at })
    .where("state", "=", "queued")
    .where("created_at", "<", end.dueBefore)
    .where((eb) => eb(eb.fn.coalesce("not_before", "created_at"), "<", end.dueBefore))
    .execute();
}

/** Forgets to whom a purged envelope's messages went. One that has not left yet, the news of the cancellation say, still goes. */
export async function eraseNotices(trx: Transaction, envelopeId: string): Promise<void> {
  await trx.deleteFrom("notices").where("envelope_id", "=", envelopeId).where("state", "!=", "queued").execute();
}

/** Forgets the messages to a person whose account is erased: those about the account, and those they got as a sender. */
export async function erasePersonNotices(trx: Transaction, person: { userId: string; emailKey: string | null }): Promise<void> {
  await trx.deleteFrom("notices").where("user_id", "=", person.userId).execute();
  await trx
    .deleteFrom("notices")
    .where("envelope_id", "is", null)
    .where("channel", "!=", "sms")
    .where(sql<string>`lower(destination)`, "=", person.emailKey)
    .execute();
}

/** Removes messages about accounts that ended before that moment; an envelope's stay with it. */
export async function deleteOldAccountNotices(reader: Reader, before: Date): Promise<void> {
  await reader
    .deleteFrom("notices")
    .where("envelope_id", "is", null)
    .where("state", "!=", "queued")
    .where("created_at", "<", before)
    .execute();
}

/** Removes the last mails of erased accounts once they have left, or could not: their address is kept no longer than the sending takes. */
export async function deleteFarewells(reader: Reader): Promise<void> {
  await reader.deleteFrom("notices").where("kind", "=", "account_erased").where("state", "!=", "queued").execute();
}
