import { sql } from "kysely";
import type { Database } from "../../../server/src/platform/database/database.ts";
import { NAMED_FILES } from "../store/named-files.ts";

const BATCH = 10_000;

/**
 * Gives the hashes (32 bytes) of every file that this database has to do with, in order, each once: those that rows name, and those that lost their row and are
 * not removed yet. Each column is read by its index.
 */
export async function* filesOf(db: Database): AsyncGenerator<Uint8Array, void> {
  const columns = [...NAMED_FILES.map(({ table, column }) => ({ table, column })), { table: "loose_files", column: "sha256" }];
  for (let after = new Uint8Array(); ; ) {
    const parts = columns.map(
      ({ table, column }) => sql`(select distinct ${sql.ref(column)} as sha256 from ${sql.table(table)}
        where ${sql.ref(column)} > ${Buffer.from(after)}::bytea order by sha256 limit ${BATCH})`,
    );
    const { rows } = await sql<{ sha256: Uint8Array<ArrayBuffer> }>`
      select sha256 from (${sql.join(parts, sql` union `)}) named order by sha256 limit ${BATCH}`.execute(db);
    yield* rows.map(({ sha256 }) => sha256);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.sha256;
  }
}
