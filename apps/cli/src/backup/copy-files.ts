import { fromHex, toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import type { Database } from "../../../server/src/platform/database/database.ts";
import {
  AlteredFileError,
  type FileStore,
  MissingFileError,
} from "../../../server/src/platform/files/file-store.ts";
import { isStillNeeded, NAMED_FILES } from "../store/named-files.ts";
import type { BackupTarget, Wrapping } from "./backup-target.ts";

const BATCH = 10_000;

/**
 * Gives the hashes (32 bytes) of all files in the database, ordered and unique: named by rows, or
 * not yet swept. One index per column.
 */
async function* filesOf(db: Database): AsyncGenerator<Uint8Array, void> {
  const columns = [
    ...NAMED_FILES.map(({ table, column }) => ({ table, column })),
    { table: "loose_files", column: "sha256" },
  ];
  for (let after = new Uint8Array(); ; ) {
    const parts = columns.map(
      ({
        table,
        column,
      }) => sql`(select distinct ${sql.ref(column)} as sha256 from ${sql.table(table)}
        where ${sql.ref(column)} > ${Buffer.from(after)}::bytea order by sha256 limit ${BATCH})`,
    );
    const { rows } = await sql<{ sha256: Uint8Array<ArrayBuffer> }>`
      select sha256 from (${sql.join(parts, sql` union `)}) named order by sha256 limit ${BATCH}`.execute(
      db,
    );
    yield* rows.map(({ sha256 }) => sha256);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.sha256;
  }
}

type CopyRun = {
  readonly db: Database;
  readonly source: FileStore;
  readonly target: BackupTarget;
  readonly wrapping: Wrapping;
  /** Lines of the last list for the same key, in order: hash and stored name. */
  readonly before: AsyncIterator<string>;
};
export type Copied = { files: number; bytes: number; copied: number; readonly lost: string[] };

const AT_ONCE = 8;

/** Copies missing files and yields the lines of the list; counts in `done`. */
export async function* copyFiles(run: CopyRun, done: Copied): AsyncGenerator<Uint8Array, void> {
  const known = seeker(run.before);
  const encoder = new TextEncoder();
  for await (const batch of batchesOf(filesOf(run.db))) {
    const stored: (string | null)[] = [];
    for (const sha256 of batch)
      stored.push(run.wrapping.recipient === null ? toHex(sha256) : await known(toHex(sha256)));
    const copied = await Promise.all(
      batch.map((sha256, index) => copyOne(run, sha256, { stored: stored[index] ?? null, done })),
    );
    const lines = copied.flatMap((name, index) =>
      name === null ? [] : [`${toHex(batch[index] ?? new Uint8Array())} ${name}\n`],
    );
    yield encoder.encode(lines.join(""));
  }
}

/** Gives the stored name; null for a file that is lost or no longer needed. */
async function copyOne(
  { db, source, target, wrapping }: CopyRun,
  sha256: Uint8Array,
  { stored, done }: { readonly stored: string | null; readonly done: Copied },
): Promise<string | null> {
  const size = stored === null ? null : await target.files.size(fromHex(stored));
  if (stored !== null && size !== null) {
    done.files += 1;
    done.bytes += size;
    return stored;
  }
  try {
    const bytes = await wrapping.wrap(await source.get(sha256));
    const name = toHex(await target.files.put(bytes));
    done.files += 1;
    done.copied += 1;
    done.bytes += bytes.length;
    return name;
  } catch (error) {
    if (!(error instanceof MissingFileError || error instanceof AlteredFileError)) throw error;
    if (await isNeeded(db, sha256)) done.lost.push(toHex(sha256));
    return null;
  }
}

async function isNeeded(db: Database, sha256: Uint8Array): Promise<boolean> {
  for (const column of NAMED_FILES) if (await isStillNeeded(db, column, sha256)) return true;
  return false;
}

/** Both are sorted: each line is read once. */
function seeker(before: AsyncIterator<string>): (name: string) => Promise<string | null> {
  let line: string | null = "";
  return async (name) => {
    while (line !== null && line.slice(0, 64) < name) {
      const next = await before.next();
      line = next.done === true ? null : next.value;
    }
    return line?.startsWith(name) ? line.slice(65) : null;
  };
}

async function* batchesOf(
  files: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Uint8Array[], void> {
  let batch: Uint8Array[] = [];
  for await (const file of files) {
    batch.push(file);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
