import { sql } from "kysely";
import { createHashSet, type HashSet } from "./hash-set.ts";
import type { StoreNotes, StorePlatform } from "./store-outcome.ts";

const DAY_MS = 86_400_000;
const BATCH = 10_000;

/** Every column that names a stored file, with the key its table is read by, part after part. */
const NAMED: readonly {
  readonly table: string;
  readonly column: string;
  readonly key: readonly { name: string; type: string; start: string }[];
}[] = [
  {
    table: "document_revisions",
    column: "blob_sha256",
    key: [
      { name: "document_id", type: "uuid", start: "00000000-0000-0000-0000-000000000000" },
      { name: "number", type: "int", start: "-1" },
    ],
  },
  { table: "documents", column: "uploaded_sha256", key: [{ name: "id", type: "uuid", start: "00000000-0000-0000-0000-000000000000" }] },
  {
    table: "template_documents",
    column: "blob_sha256",
    key: [
      { name: "template_id", type: "uuid", start: "00000000-0000-0000-0000-000000000000" },
      { name: "position", type: "int", start: "-1" },
    ],
  },
  { table: "users", column: "avatar_sha256", key: [{ name: "id", type: "uuid", start: "00000000-0000-0000-0000-000000000000" }] },
  { table: "batch_items", column: "source_sha256", key: [{ name: "id", type: "uuid", start: "00000000-0000-0000-0000-000000000000" }] },
  { table: "batch_items", column: "signed_sha256", key: [{ name: "id", type: "uuid", start: "00000000-0000-0000-0000-000000000000" }] },
];

/** Invariant 8: no file that no row names is older than a day. */
export async function checkOrphans(platform: StorePlatform, notes: StoreNotes): Promise<void> {
  const known = createHashSet();
  for (const named of NAMED) await addNamed(platform.db, named, known);
  for await (const { sha256, writtenAt } of platform.files.list()) {
    notes.checked(8, 1);
    const isOld = platform.clock().getTime() - writtenAt.getTime() > DAY_MS;
    if (isOld && !known.has(sha256))
      notes.fault(8, { subject: Buffer.from(sha256).toString("hex"), what: "un fichier que rien ne désigne a plus d’un jour" });
  }
}

async function addNamed(db: StorePlatform["db"], { table, column, key }: (typeof NAMED)[number], known: HashSet): Promise<void> {
  const names = sql.join(key.map(({ name }) => sql.ref(name)));
  for (let after = key.map(({ start }) => start); ; ) {
    const last = sql.join(key.map(({ type }, index) => sql`${after[index]}::${sql.raw(type)}`));
    const { rows } = await sql<{ sha256: Uint8Array; key: string[] }>`
      select ${sql.ref(column)} as sha256, array[${sql.join(key.map(({ name }) => sql`${sql.ref(name)}::text`))}] as key from ${sql.table(table)}
      where ${sql.ref(column)} is not null and (${names}) > (${last}) order by ${names} limit ${BATCH}`.execute(db);
    for (const { sha256 } of rows) known.add(sha256);
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH) return;
    after = end.key;
  }
}
