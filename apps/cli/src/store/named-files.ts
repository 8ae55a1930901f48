import { type RawBuilder, sql } from "kysely";
import type { StorePlatform } from "./store-outcome.ts";

type HashSet = {
  add(sha256: Uint8Array): void;
  has(sha256: Uint8Array): boolean;
  readonly size: number;
};

/**
 * Takes sixteen bytes a hash, a twentieth of a Set of texts; of a million, two collide once in
 * forty million sets.
 */
export function createHashSet(): HashSet {
  let [slots, size, hasZero] = [new BigUint64Array(1 << 12), 0, false];
  const keyOf = (sha256: Uint8Array): bigint =>
    new DataView(sha256.buffer, sha256.byteOffset, 8).getBigUint64(0);
  /** Open addressing: gives the key's place, or its free slot. */
  const placeOf = (table: BigUint64Array, key: bigint): number => {
    let place = Number(key & BigInt(table.length - 1));
    while (table[place] !== 0n && table[place] !== key) place = (place + 1) & (table.length - 1);
    return place;
  };
  const grow = (): void => {
    const larger = new BigUint64Array(slots.length * 2);
    for (const key of slots) if (key !== 0n) larger[placeOf(larger, key)] = key;
    slots = larger;
  };
  return {
    add(sha256) {
      const key = keyOf(sha256);
      if (key === 0n) {
        hasZero = true;
        return;
      }
      const place = placeOf(slots, key);
      if (slots[place] === key) return;
      slots[place] = key;
      size += 1;
      if (size * 4 > slots.length * 3) grow();
    },
    has(sha256) {
      const key = keyOf(sha256);
      return key === 0n ? hasZero : slots[placeOf(slots, key)] === key;
    },
    get size() {
      return size + (hasZero ? 1 : 0);
    },
  };
}

type Key = { readonly name: string; readonly type: "uuid" | "int"; readonly start: string };

type NamedFiles = {
  readonly table: string;
  readonly column: string;
  readonly key: readonly Key[];
  /** Rows that need the file; null: none. */
  readonly needs: RawBuilder<unknown> | null;
};

const uuid = (name: string): Key => ({
  name,
  type: "uuid",
  start: "00000000-0000-0000-0000-000000000000",
});
const int = (name: string): Key => ({ name, type: "int", start: "-1" });
const EVERY_ROW = sql`true`;
/** A purge removes bytes, not rows. */
const NOT_PURGED = sql`exists (select from documents d join envelopes e on e.id = d.envelope_id where d.id = document_id and e.purged_at is null)`;

export const NAMED_FILES: readonly NamedFiles[] = [
  {
    table: "document_revisions",
    column: "blob_sha256",
    key: [uuid("document_id"), int("number")],
    needs: NOT_PURGED,
  },
  { table: "documents", column: "uploaded_sha256", key: [uuid("id")], needs: null },
  {
    table: "template_documents",
    column: "blob_sha256",
    key: [uuid("template_id"), int("position")],
    needs: EVERY_ROW,
  },
  { table: "users", column: "avatar_sha256", key: [uuid("id")], needs: EVERY_ROW },
  { table: "uploads", column: "file_sha256", key: [uuid("id")], needs: EVERY_ROW },
  { table: "batch_items", column: "source_sha256", key: [uuid("id")], needs: EVERY_ROW },
  { table: "batch_items", column: "signed_sha256", key: [uuid("id")], needs: null },
];

const BATCH = 10_000;

/** Gives 32 bytes each, by thousands, in key order, of all rows or those that need the file. */
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
      where ${sql.ref(column)} is not null and (${parts}) > (${last}) ${wanted} order by ${parts} limit ${BATCH}`.execute(
      db,
    );
    yield rows.map(({ sha256 }) => sha256);
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH) return;
    after = end.key;
  }
}

/** The row may be gone by now. */
export async function isStillNeeded(
  db: StorePlatform["db"],
  { table, column, needs }: NamedFiles,
  sha256: Uint8Array,
): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)} where ${sql.ref(column)} = ${Buffer.from(sha256)}::bytea and ${needs ?? sql`false`} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}
