import { sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inParallel } from "../../platform/database/in-transaction.ts";
import type { DeadlineNews } from "./domain/deadlines.ts";

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

export async function selectWarnedDays(reader: Reader, envelopeId: string): Promise<number | null> {
  const row = await reader
    .selectFrom("envelopes")
    .select("deadline_warned_days")
    .where("id", "=", envelopeId)
    .executeTakeFirst();
  return row?.deadline_warned_days ?? null;
}

/** The version stays, as no user edits this. */
export async function updateWarned(
  trx: Transaction,
  warned: { readonly envelopeId: string; readonly days: number | null },
): Promise<void> {
  await trx
    .updateTable("envelopes")
    .set({ deadline_warned_days: warned.days })
    .where("id", "=", warned.envelopeId)
    .execute();
}

export async function updateAnnouncement(
  trx: Transaction,
  asked: { readonly envelopeId: string; readonly announcement: string | null },
): Promise<void> {
  await trx
    .updateTable("envelopes")
    .set({ deadline_announcement: asked.announcement })
    .where("id", "=", asked.envelopeId)
    .execute();
}

export async function selectAnnouncement(
  reader: Reader,
  envelopeId: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom("envelopes")
    .select("deadline_announcement")
    .where("id", "=", envelopeId)
    .executeTakeFirst();
  return row?.deadline_announcement ?? null;
}

export async function selectDeadlineNews(
  reader: Reader,
  envelopeId: string,
): Promise<ReadonlyMap<string, DeadlineNews>> {
  const rows = await reader
    .selectFrom("recipients")
    .select(["id", "told_deadline_at", "untold_reopening"])
    .where("envelope_id", "=", envelopeId)
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      { knownDeadlineAt: row.told_deadline_at, reopened: row.untold_reopening },
    ]),
  );
}

/** Marks recipients who do not know that their link works again. */
export async function markReopened(trx: Transaction, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return;
  await trx
    .updateTable("recipients")
    .set({ untold_reopening: true })
    .where("id", "in", [...ids])
    .execute();
}

/** Restores what they know once their last message was withdrawn. */
export async function restoreKnown(
  trx: Transaction,
  known: readonly (DeadlineNews & { readonly recipientId: string })[],
): Promise<void> {
  await inParallel(
    known.map(({ recipientId, knownDeadlineAt, reopened }) =>
      trx
        .updateTable("recipients")
        .set({
          told_deadline_at: knownDeadlineAt,
          untold_reopening: sql<boolean>`untold_reopening or ${reopened}`,
        })
        .where("id", "=", recipientId)
        .execute(),
    ),
  );
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function selectOverdue(
  reader: Reader,
  window: { readonly now: Date; readonly limit: number; readonly skip: number },
): Promise<string[]> {
  const rows = await reader
    .selectFrom("envelopes as e")
    .select("e.id")
    .where("e.status", "in", ["sent", "pending"])
    .where("e.deadline_at", "<=", window.now)
    .where("e.purged_at", "is", null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("signing_acts as a")
            .select("a.id")
            .whereRef("a.envelope_id", "=", "e.id")
            .where("a.sealed_at", "is", null),
        ),
      ),
    )
    .orderBy("e.deadline_at")
    .orderBy("e.id")
    .limit(window.limit)
    .offset(window.skip)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Gives those cancelled about 10 Paris days ago or more, oldest first; the hour's margin covers the
 * hour that autumn repeats. The domain checks each.
 */
export async function selectToPurge(
  reader: Reader,
  window: {
    readonly now: Date;
    readonly days: number;
    readonly limit: number;
    readonly skip: number;
  },
): Promise<string[]> {
  const rows = await reader
    .selectFrom("envelopes")
    .select("id")
    .where("status", "=", "cancelled")
    .where("purged_at", "is", null)
    // Repeats the condition in a form that the index answers.
    .where(
      "cancelled_at",
      "<=",
      new Date(window.now.getTime() - window.days * DAY_MS + 2 * HOUR_MS),
    )
    .where(
      sql<Date>`(cancelled_at at time zone 'Europe/Paris' + make_interval(days => ${window.days})) at time zone 'Europe/Paris' - interval '1 hour'`,
      "<=",
      window.now,
    )
    .orderBy("cancelled_at")
    .orderBy("id")
    .limit(window.limit)
    .offset(window.skip)
    .execute();
  return rows.map((row) => row.id);
}

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

/** Null: nothing is due until somebody is asked again. */
export async function setNextReminder(
  trx: Transaction,
  next: { readonly envelopeId: string; readonly at: Date | null },
): Promise<void> {
  await trx
    .updateTable("envelopes")
    .set({ next_reminder_at: next.at })
    .where("id", "=", next.envelopeId)
    .execute();
}

export async function selectExtensionRequestedAt(
  reader: Reader,
  envelopeId: string,
): Promise<Date | null> {
  const row = await reader
    .selectFrom("envelopes")
    .select("extension_requested_at")
    .where("id", "=", envelopeId)
    .executeTakeFirst();
  return row?.extension_requested_at ?? null;
}

export async function updateExtensionRequested(
  trx: Transaction,
  notified: { readonly envelopeId: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("envelopes")
    .set({ extension_requested_at: notified.now })
    .where("id", "=", notified.envelopeId)
    .execute();
}
