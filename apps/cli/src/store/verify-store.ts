import { sql } from "kysely";
import type { AuditOutcome } from "../audit/audit-fault.ts";
import { checkHeads, checkJournals } from "../audit/check-journals.ts";
import { onChangedSince } from "./changed-envelopes.ts";
import { checkOrphans, checkOtherFiles, type OrphanRules } from "./check-other-files.ts";
import { checkRevisions } from "./check-revisions.ts";
import { LOOKED_AT, MESSAGE_RULES, RULES, type StoreRule, stuckMessages } from "./rules.ts";
import {
  createStoreNotes,
  type StoreNotes,
  type StoreOutcome,
  type StorePlatform,
} from "./store-outcome.ts";

/** Faults listed per rule; the others are counted. */
const NAMED = 20;

/**
 * Checks the invariants of ARCHITECTURE.md row by row, in bounded memory; changes nothing unless
 * `rules` asks.
 */
export async function verifyStore(
  platform: StorePlatform,
  rules: OrphanRules = { orphans: "list" },
): Promise<readonly StoreOutcome[]> {
  const notes = createStoreNotes();
  await checkEnvelopes(platform, notes);
  await notes.timed(2, () => checkOtherFiles(platform, notes));
  await notes.timed(8, () => checkOrphans(platform, notes, rules));
  return notes.outcomes();
}

/** Checks envelopes whose journal has grown since the log had so many leaves, not other files. */
export async function verifyChanged(
  platform: StorePlatform,
  leaves: number,
): Promise<readonly StoreOutcome[]> {
  const notes = createStoreNotes();
  await onChangedSince(platform.db, leaves, (db) => checkEnvelopes({ ...platform, db }, notes));
  return notes.outcomes();
}

async function checkEnvelopes(platform: StorePlatform, notes: StoreNotes): Promise<void> {
  for (const { invariant, query } of LOOKED_AT)
    await notes.timed(invariant, async () =>
      notes.checked(invariant, Number((await query.execute(platform.db)).rows[0]?.count ?? 0)),
    );
  for (const rule of [...RULES, ...MESSAGE_RULES, stuckMessages(platform.clock())])
    await notes.timed(rule.invariant, () => checkRule(platform, rule, notes));
  await notes.timed(2, () => checkRevisions(platform, notes));
  await notes.timed(3, async () => {
    noteAudit(await checkJournals(platform), notes);
    noteAudit(await checkHeads(platform), notes);
  });
}

async function checkRule(
  { db }: StorePlatform,
  { invariant, what, query }: StoreRule,
  notes: StoreNotes,
): Promise<void> {
  const { rows } = await sql<{ subject: string; count: number }>`
    select subject, count(*) over () as count from (${query}) broken limit ${NAMED}`.execute(db);
  for (const [index, { subject, count }] of rows.entries())
    notes.fault(invariant, {
      subject,
      what,
      more: index + 1 === rows.length ? Number(count) - rows.length : 0,
    });
}

/** Both count the same events. */
function noteAudit({ checked, faultCount, faults }: AuditOutcome, notes: StoreNotes): void {
  notes.checked(3, checked);
  for (const [index, fault] of faults.entries())
    notes.fault(3, {
      ...fault,
      more: index + 1 === faults.length ? faultCount - faults.length : 0,
    });
}
