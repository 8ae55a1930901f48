import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../../server/src/platform/database/database.ts";

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
