import { type RawBuilder, sql } from "kysely";
import type { StorePlatform } from "./store-outcome.ts";

type Key = { readonly name: string; readonly type: "uuid" | "int"; readonly start: string };

/** A column that names stored files. */
export type NamedFiles = {
  readonly table: string;
  readonly column: string;
  /** What its table is read by, part after part. */
  readonly key: readonly Key[];
  /** Which of its rows cannot do without the file; null: none, it stays as long as something else needs it. */
  readonly needs: RawBuilder<unknown> | null;
};

const uuid = (name: string): Key => ({ name, type: "uuid", start: "00000000-0000-0000-0000-000000000000" });
const int = (name: string): Key => ({ name, type: "int", start: "-1" });
const EVERY_ROW = sql`true`;
/** A purge takes the bytes and leaves the rows. */
const NOT_PURGED = sql`exists (select from documents d join envelopes e on e.id = d.envelope_id where d.id = document_id and e.purged_at is null)`;

/** Every column that names a stored file. */
export const NAMED_FILES: readonly NamedFiles[] = [
  { table: "document_revisions", column: "blob_sha256", key: [uuid("document_id"), int("number")], needs: NOT_PURGED },
  { table: "documents", column: "uploaded_sha256", key: [uuid("id")], needs: null },
  { table: "template_documents", column: "blob_sha256", key: [uuid("template_id"), int("position")], needs: EVERY_ROW },
  { table: "users", column: "avatar_sha256", key: [uuid("id")], needs: EVERY_ROW },
  { table: "batch_items", column: "source_sha256", key: [uuid("id")], needs: EVERY_ROW },
  { table: "batch_items", column: "signed_sha256", key: [uuid("id")], needs: null },
];

const BATCH = 10_000;

/** Gives the hashes (32 bytes) that a column names, some thousands at a time, in the order of its key: of all its rows, or of those that need the file. */
export async function* namesOf(
  db: StorePlatform["db"],
  { table, column, key, needs }: NamedFiles,
  which: "all" | "needed",
): AsyncGenerator<readonly Uint8Array[], void> {
  if (which === "needed" && needs === null) return;
  const parts = sql.join(key.map(({ name }) => sql.ref(name)));
  const wanted = which === "needed" ? sql`and ${needs}` : sql``;
  for (let after = key.map(({ start }) => start); ; ) {
    const last = sql.join(key.map(({ type }, index) => sql`${after[index]}::${sql.raw(type)}`));
    const { rows } = await sql<{ sha256: Uint8Array; key: string[] }>`
      select ${sql.ref(column)} as sha256, array[${sql.join(key.map(({ name }) => sql`${sql.ref(name)}::text`))}] as key from ${sql.table(table)}
      where ${sql.ref(column)} is not null and (${parts}) > (${last}) ${wanted} order by ${parts} limit ${BATCH}`.execute(db);
    yield rows.map(({ sha256 }) => sha256);
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH) return;
    after = end.key;
  }
}

/** Says whether a row still needs this file: on a running service it may have been given up since its row was read. */
export async function isStillNeeded(db: StorePlatform["db"], { table, column, needs }: NamedFiles, sha256: Uint8Array): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)} where ${sql.ref(column)} = ${Buffer.from(sha256)}::bytea and ${needs ?? sql`false`} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}
