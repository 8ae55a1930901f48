import { randomBytes } from "node:crypto";
import { createGzip } from "node:zlib";
import { createIdMaker, fromHex, toBase64, toHex } from "@paraphe/kernel/bytes";
import { formatDecimal, plural } from "@paraphe/kernel/french-numbers";
import { sql } from "kysely";
import program from "../../../server/package.json" with { type: "json" };
import {
  type BlockedRemovals,
  blockRemovals,
  insertBackup,
} from "../../../server/src/platform/backup/backups.ts";
import { type Clock, systemClock } from "../../../server/src/platform/platform.ts";
import type { Database } from "../../../server/src/platform/database/database.ts";
import { findPostgresProgram, openBaseBackup, openDump } from "./postgres-programs.ts";
import {
  AlteredFileError,
  type FileStore,
  MissingFileError,
} from "../../../server/src/platform/files/file-store.ts";
import { openStore } from "../../../server/src/platform/files/open-store.ts";
import { loadDataKey } from "../../../server/src/platform/secrets/data-key.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import type { Settings } from "../../../server/src/platform/settings/settings.ts";
import { type OpenDatabase, onDatabase } from "../open-database.ts";
import { CommandFault, type Outcome, done, misused } from "../outcome.ts";
import { NAMED_FILES, createHashSet, isStillNeeded } from "../store/named-files.ts";
import {
  type BackupTarget,
  beginNote,
  createWrapping,
  forgetBackup,
  linesOf,
  listBackups,
  type Manifest,
  NOTHING,
  openTarget,
  readManifest,
  readParts,
  readWords,
  type Wrapping,
  writeManifest,
  writeParts,
} from "./backup-target.ts";

/**
 * Removes those beyond the newest `left`, older incomplete ones and files that no backup names;
 * gives their number. Needs the backup lock. An interruption leaves superfluous files.
 */
async function removeOlder(target: BackupTarget, left: number): Promise<number> {
  const { whole, cut } = await listBackups(target);
  const remaining = whole.slice(-left);
  const named = createHashSet();
  for (const id of remaining) {
    const { database, list } = await readManifest(target, id);
    for (const part of [...database.parts, ...list.parts]) named.add(fromHex(part));
    for await (const line of linesOf(readParts(target.files, NOTHING.unwrap, list.parts)))
      named.add(fromHex(line.slice(65)));
  }
  const removed = [...whole, ...cut].filter((id) => !remaining.includes(id));
  // Before the files, so that no backup lacks one.
  for (const id of removed) await forgetBackup(target, id);
  for await (const { sha256 } of target.stored())
    if (!named.has(sha256)) await target.files.remove(sha256);
  return removed.length;
}

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe backup SAUVEGARDE [--recipient age1…] [--keep NOMBRE]",
  "",
  "Sauvegarde la base puis les fichiers, pendant que le service tourne. SAUVEGARDE est un dossier, ou s3://seau/dossier?endpoint=…&region=….",
  "Seuls les fichiers qui n’y sont pas encore sont copiés. Rien n’est retiré du stockage pendant ce temps.",
  "--recipient\u00a0: chiffre tout pour cette clé publique (age-keygen)\u202f; la clé privée ne sert qu’à restaurer.",
  "--keep\u00a0: ne laisse que les dernières sauvegardes, celle-ci comprise\u202f; ce que les autres seules contenaient est effacé.",
  "MASTER_KEY n’y est jamais\u00a0: gardez-la ailleurs.",
  "",
  "Code de sortie\u00a0: 0 fait, 1 refusé ou fichiers perdus, 64 mauvais usage, 75 une autre sauvegarde est en cours, 78 réglage refusé.",
];

type BackupDeps = {
  readonly environment: Environment;
  readonly folder: string;
  readonly clock?: Clock;
};

/** Errors: `CommandFault`, `SettingsError`, outages. */
export async function runBackup(words: readonly string[], deps: BackupDeps): Promise<Outcome> {
  const asked = readWords(words, { recipient: { type: "string" }, keep: { type: "string" } });
  const maxBackups = asked?.text("keep") ?? null;
  if (asked === null || (maxBackups !== null && !/^[1-9]\d{0,4}$/.test(maxBackups)))
    return misused(USAGE);
  const wrapping = createWrapping(asked.text("recipient"));
  const settings = readSettings(deps.environment, process.cwd());
  return onDatabase(settings, async (opened) => {
    const source = await openStore(opened.db, settings, {
      clock: systemClock,
      newId: createIdMaker(systemClock, randomBytes),
    });
    const target = await openTarget(asked.place, { ...deps, service: await serviceOf(opened.db) });
    const major = await majorOf(opened.db);
    if (settings.database.kind === "external") await findPostgresProgram("pg_dump", major);
    const removals = await blockRemovals(opened.url);
    if (removals === null)
      throw new CommandFault(
        "Une autre sauvegarde de ce service est en cours\u00a0: relancez la commande quand elle sera finie.",
        {
          code: 75,
        },
      );
    try {
      return await backUp({
        ...opened,
        settings,
        source,
        target,
        wrapping,
        major,
        removals,
        maxBackups: maxBackups === null ? null : Number(maxBackups),
        clock: deps.clock ?? systemClock,
      });
    } finally {
      await removals.release();
    }
  });
}

type Work = OpenDatabase & {
  readonly settings: Settings;
  readonly source: FileStore;
  readonly target: BackupTarget;
  readonly wrapping: Wrapping;
  readonly major: number;
  readonly removals: BlockedRemovals;
  /** Backups to leave; null: all. */
  readonly maxBackups: number | null;
  readonly clock: Clock;
};

/** Copies the database, then files: a later signature is in neither or both. */
async function backUp(work: Work): Promise<Outcome> {
  const { db, target, wrapping, removals, clock } = work;
  const startedAt = clock();
  const id = startedAt.toISOString().replaceAll(/[:.]/g, "-");
  const before = lastList(target, wrapping);
  await beginNote(target, id, startedAt);
  const database = await storeDatabase(work);
  const databaseAt = clock();
  const copied: Copied = { files: 0, bytes: 0, copied: 0, lost: [] };
  const list = await writeParts(
    target.files,
    NOTHING,
    copyFiles({ db, source: work.source, target, wrapping, before }, copied),
  );
  await removals.assertBlocked();
  const endedAt = clock();
  const dataKey = await loadDataKey(db);
  const manifest: Manifest = {
    format: 1,
    id,
    service: target.service,
    version: program.version,
    started_at: startedAt.toISOString(),
    database_at: databaseAt.toISOString(),
    ended_at: endedAt.toISOString(),
    database,
    list: { parts: list, files: copied.files, bytes: copied.bytes },
    lost: copied.lost,
    recipient: wrapping.recipient,
    data_key: dataKey === null ? null : toBase64(dataKey),
    migrations: [...work.migrations],
  };
  await writeManifest(target, manifest);
  await insertBackup(db, {
    id,
    place: target.shown,
    startedAt,
    endedAt,
    files: copied.files,
    bytes: copied.bytes,
  });
  const removed = work.maxBackups === null ? 0 : await removeOlder(target, work.maxBackups);
  return describe(manifest, { ...copied, removed }, target);
}

async function storeDatabase({
  settings,
  url,
  major,
  target,
  wrapping,
}: Work): Promise<Manifest["database"]> {
  if (settings.database.kind === "external")
    return {
      kind: "dump",
      server: major,
      parts: await writeParts(target.files, wrapping, await openDump(url, major)),
    };
  const base = await openBaseBackup(url);
  const gzip = createGzip({ level: 1 });
  base.on("error", (error) => gzip.destroy(error));
  return {
    kind: "base",
    server: major,
    parts: await writeParts(target.files, wrapping, base.pipe(gzip)),
  };
}

/** Files of the last list are not encrypted again; unencrypted ones are named by hash. */
async function* lastList(
  target: BackupTarget,
  { recipient }: Wrapping,
): AsyncGenerator<string, void> {
  if (recipient === null || (await listBackups(target)).whole.length === 0) return;
  const last = await readManifest(target, null);
  if (last.recipient !== recipient) return;
  try {
    yield* linesOf(readParts(target.files, NOTHING.unwrap, last.list.parts));
  } catch (error) {
    if (!(error instanceof MissingFileError || error instanceof AlteredFileError)) throw error;
  }
}

function describe(
  { id, lost, recipient }: Manifest,
  { files, copied, bytes, removed }: Copied & { readonly removed: number },
  target: BackupTarget,
): Outcome {
  const lines = [
    `Sauvegarde ${id}, dans ${target.shown}\u00a0: la base et ${plural(files, "fichier")} (${formatDecimal(bytes / 1e6)} Mo), dont ${plural(copied, "copié")} cette fois.`,
    recipient === null
      ? "MASTER_KEY n’y est pas\u00a0: gardez-la ailleurs. Rien n’y est chiffré\u00a0: --recipient le fait."
      : "MASTER_KEY n’y est pas\u00a0: gardez-la ailleurs, avec la clé privée qui ouvre cette sauvegarde.",
  ];
  if (removed > 0)
    lines.push(
      `${plural(removed, "sauvegarde plus ancienne est effacée", "sauvegardes plus anciennes sont effacées")}.`,
    );
  if (lost.length === 0) return done(...lines);
  return {
    code: 1,
    lines: [
      ...lines,
      `${plural(lost.length, "fichier manque, ou est abîmé,", "fichiers manquent, ou sont abîmés,")} dans le stockage\u00a0: paraphe verify-store les nomme.`,
    ],
  };
}

/** The first store identifies the service, even after a move. */
async function serviceOf(db: Database): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`select id from store_identity order by id limit 1`.execute(db);
  if (rows[0] === undefined) throw new Error("The store was opened and has no identity");
  return rows[0].id;
}

async function majorOf(db: Database): Promise<number> {
  const { rows } = await sql<{
    version: number;
  }>`select current_setting('server_version_num')::int / 10000 as version`.execute(db);
  return rows[0]?.version ?? 0;
}

const BATCH = 10_000;

/**
 * Gives hashes (32 bytes) in the database, ordered and unique: named by rows, or not swept. One
 * index per column.
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

/** Copies missing files; yields the list's lines; counts in `done`. */
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

/** Gives the stored name; null: lost, or no longer needed. */
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
