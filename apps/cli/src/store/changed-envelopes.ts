import { sql } from "kysely";
import type { StorePlatform } from "./store-outcome.ts";

/** The tables where the checks begin; they reach every other table from these. */
const SHOWN = [
  ["envelopes", "id"],
  ["documents", "envelope_id"],
  ["signatures", "envelope_id"],
  ["signing_acts", "envelope_id"],
  ["notices", "envelope_id"],
  ["prints", "envelope_id"],
  ["audit_events", "envelope_id"],
  ["transparency_leaves", "envelope_id"],
  ["transparency_due", "envelope_id"],
] as const;

/**
 * Runs checks on a database that shows only the envelopes whose journal has grown since the log had so many leaves: each has a newer leaf, or one that is due.
 * Temporary views with the tables' names do so on one connection, so that the rules stay the same.
 */
export async function onChangedSince<T>(
  platform: StorePlatform,
  leaves: number,
  work: (platform: StorePlatform) => Promise<T>,
): Promise<T> {
  return platform.db.connection().execute(async (db) => {
    await sql`
      create temporary table changed_envelopes as
        select envelope_id from transparency_leaves where leaf_index >= ${leaves} union select envelope_id from transparency_due`.execute(
      db,
    );
    await sql`alter table changed_envelopes add primary key (envelope_id)`.execute(db);
    await sql`analyze changed_envelopes`.execute(db);
    for (const [table, key] of SHOWN)
      await sql`create temporary view ${sql.table(table)} as
        select t.* from public.${sql.table(table)} t join changed_envelopes c on c.envelope_id = t.${sql.ref(key)}`.execute(db);
    await sql`create temporary view document_revisions as
      select r.* from public.document_revisions r join documents d on d.id = r.document_id`.execute(db);
    await sql`select set_config('search_path', 'pg_temp, public', false)`.execute(db);
    try {
      return await work({ ...platform, db });
    } finally {
      await sql`reset search_path`.execute(db);
      await sql`drop table changed_envelopes cascade`.execute(db);
    }
  });
}
