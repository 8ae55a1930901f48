import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../../server/src/platform/database/database.ts";
import type { AuditOutcome } from "../audit/audit-fault.ts";
import { checkHeads, checkJournals } from "../audit/check-journals.ts";
import { checkRevisions } from "./check-revisions.ts";
import { NAMED_FILES, createHashSet, isStillNeeded, namesOf } from "./named-files.ts";
import { LOOKED_AT, MESSAGE_RULES, RULES, type StoreRule, stuckMessages } from "./rules.ts";
import {
  type StoreNotes,
  type StoreOutcome,
  type StorePlatform,
  createStoreNotes,
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

function noteAudit({ checked, faultCount, faults }: AuditOutcome, notes: StoreNotes): void {
  notes.checked(3, checked);
  for (const [index, fault] of faults.entries())
    notes.fault(3, {
      ...fault,
      more: index + 1 === faults.length ? faultCount - faults.length : 0,
    });
}

/** Entry tables of the checks and the column that names the envelope. */
const SHOWN = {
  changed_envelopes: [
    ["envelopes", "id"],
    ["documents", "envelope_id"],
    ["signatures", "envelope_id"],
    ["signing_acts", "envelope_id"],
    ["notices", "envelope_id"],
    ["prints", "envelope_id"],
    ["transparency_leaves", "envelope_id"],
    ["transparency_due", "envelope_id"],
  ],
  changed_documents: [["document_revisions", "document_id"]],
} as const;

/** Prefers index look-ups, cheap for few changed rows. */
const SETTINGS = {
  search_path: "pg_temp, public",
  random_page_cost: "1.1",
  idle_in_transaction_session_timeout: "0",
};

/**
 * Runs checks where temporary views, named like the tables, show only envelopes whose journal has
 * grown since the log had so many leaves. One transaction keeps it on one connection.
 */
export async function onChangedSince<T>(
  whole: Database,
  leaves: number,
  work: (changed: Database) => Promise<T>,
): Promise<T> {
  return whole.transaction().execute(async (db) => {
    for (const [name, value] of Object.entries(SETTINGS))
      await sql`select set_config(${name}, ${value}, true)`.execute(db);
    const envelopes = sql`select envelope_id as id from transparency_leaves where leaf_index >= ${leaves} union select envelope_id from transparency_due`;
    await list(db, "changed_envelopes", envelopes);
    await list(
      db,
      "changed_documents",
      sql`select d.id from documents d join changed_envelopes c on c.id = d.envelope_id`,
    );
    for (const [changed, tables] of Object.entries(SHOWN))
      for (const [table, key] of tables) await show(db, { table, key, changed });
    await showJournals(db);
    return work(db);
  });
}

async function list(db: Transaction, name: string, ids: RawBuilder<unknown>): Promise<void> {
  await sql`create temporary table ${sql.table(name)} on commit drop as ${ids}`.execute(db);
  await sql`alter table ${sql.table(name)} add primary key (id)`.execute(db);
  await sql`analyze ${sql.table(name)}`.execute(db);
}

/** The list's key: a page after an id reads nothing before it. */
async function show(
  db: Transaction,
  { table, key, changed }: Readonly<Record<"table" | "key" | "changed", string>>,
): Promise<void> {
  await sql`create temporary view ${sql.table(table)} as
    select * from (select id as ${sql.ref(key)} from ${sql.table(changed)}) c join public.${sql.table(table)} using (${sql.ref(key)})`.execute(
    db,
  );
}

/** `offset 0` forces look-ups by envelope: PostgreSQL's estimates led it to read every journal. */
async function showJournals(db: Transaction): Promise<void> {
  await sql`create temporary view audit_events as select * from (select id as envelope_id from changed_envelopes) c
    join lateral (select * from public.audit_events v where v.envelope_id = c.envelope_id offset 0) v using (envelope_id)`.execute(
    db,
  );
}

const DAY_MS = 86_400_000;

/** Orphans are handed to the sweep, which cannot find them in a restored database. */
type OrphanRules = { readonly orphans: "list" | "sweep" };

/** Invariant 8: files without row are at most a day old. */
async function checkOrphans(
  platform: StorePlatform,
  notes: StoreNotes,
  { orphans }: OrphanRules,
): Promise<void> {
  const now = platform.clock();
  const dayAgo = new Date(now.getTime() - DAY_MS);
  const known = createHashSet();
  for (const named of NAMED_FILES)
    for await (const names of namesOf(platform.db, named, "all"))
      for (const sha256 of names) known.add(sha256);
  for await (const { sha256, writtenAt } of platform.files.list()) {
    notes.checked(8, 1);
    if (writtenAt >= dayAgo || known.has(sha256)) continue;
    // The sweep spares files stored, or orphaned, within a day.
    const recent = platform.db
      .selectFrom("loose_files")
      .select("at")
      .where("sha256", "=", sha256)
      .where("at", ">", dayAgo);
    if ((await recent.executeTakeFirst()) !== undefined) continue;
    notes.fault(8, {
      subject: toHex(sha256),
      what: "un fichier que rien ne désigne a plus d’un jour",
    });
    if (orphans === "sweep")
      await sql`insert into loose_files (sha256, at) values (${sha256}, ${now}) on conflict do nothing`.execute(
        platform.db,
      );
  }
}

const OTHERS = NAMED_FILES.filter(({ table }) => table !== "document_revisions");

/** Invariant 2 outside revisions: templates, avatars, waiting batch files. */
async function checkOtherFiles({ db, files }: StorePlatform, notes: StoreNotes): Promise<void> {
  for (const named of OTHERS)
    for await (const names of namesOf(db, named, "needed"))
      for (const sha256 of names) {
        notes.checked(2, 1);
        const subject = toHex(sha256);
        try {
          const found = createHash("sha256")
            .update(await files.get(sha256))
            .digest("hex");
          if (found !== subject)
            notes.fault(2, { subject, what: `ce fichier a l’empreinte ${found}` });
        } catch (error) {
          const name = error instanceof Error ? error.name : "inconnu";
          if (await isStillNeeded(db, named, sha256))
            notes.fault(2, { subject, what: `ce fichier ne peut pas être lu (${name})` });
        }
      }
}
