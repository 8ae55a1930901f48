import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { DeadlineNews } from "./domain/deadline-news.ts";

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

/** Notes which announcement of the deadline is the last one asked for; null: none waits. The envelope itself does not change: its version stays. */
export async function updateAnnouncement(
  trx: Transaction,
  asked: { readonly envelopeId: string; readonly announcement: string | null },
): Promise<void> {
  await trx.updateTable("envelopes").set({ deadline_announcement: asked.announcement }).where("id", "=", asked.envelopeId).execute();
}

export async function selectAnnouncement(reader: Reader, envelopeId: string): Promise<string | null> {
  const row = await reader.selectFrom("envelopes").select("deadline_announcement").where("id", "=", envelopeId).executeTakeFirst();
  return row?.deadline_announcement ?? null;
}

/** Gives what each recipient of an envelope knows of its deadline, by recipient. */
export async function selectDeadlineNews(reader: Reader, envelopeId: string): Promise<ReadonlyMap<string, DeadlineNews>> {
  const rows = await reader
    .selectFrom("recipients")
    .select(["id", "told_deadline_at", "untold_reopening"])
    .where("envelope_id", "=", envelopeId)
    .execute();
  return new Map(rows.map((row) => [row.id, { knownDeadlineAt: row.told_deadline_at, reopened: row.untold_reopening }]));
}

/** Notes that these have to hear that their link works again. */
export async function markReopened(trx: Transaction, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return;
  await trx
    .updateTable("recipients")
    .set({ untold_reopening: true })
    .where("id", "in", [...ids])
    .execute();
}

/** Notes what recipients know, whose last message about the deadline was taken back. */
export async function restoreKnown(trx: Transaction, known: readonly (DeadlineNews & { readonly recipientId: string })[]): Promise<void> {
  await together(
    known.map(({ recipientId, knownDeadlineAt, reopened }) =>
      trx
        .updateTable("recipients")
        .set({ told_deadline_at: knownDeadlineAt, untold_reopening: sql<boolean>`untold_reopening or ${reopened}` })
        .where("id", "=", recipientId)
        .execute(),
    ),
  );
}
