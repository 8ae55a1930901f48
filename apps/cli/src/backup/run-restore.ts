import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createIdMaker, fromHex } from "@paraphe/kernel/bytes";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import { plural } from "@paraphe/kernel/french-numbers";
import { sql } from "kysely";
import { refuseWaitingNotices } from "../../../server/src/features/notices/public.ts";
import { type Clock, systemClock } from "../../../server/src/platform/platform.ts";
import { connectDatabase, type Database } from "../../../server/src/platform/database/database.ts";
import {
  LogEndsEarlyError,
  type LogToFollow,
  recoverEmbeddedPostgres,
} from "../../../server/src/platform/database/embedded/embedded-postgres.ts";
import {
  assertWorksOn,
  compareMigrations,
} from "../../../server/src/platform/database/migrate-database.ts";
import { type FileStore, NO_LEDGER } from "../../../server/src/platform/files/file-store.ts";
import { openMedium, type StoreMedium } from "../../../server/src/platform/files/open-store.ts";
import { isMasterKeyOf, readMasterKey } from "../../../server/src/platform/secrets/data-key.ts";
import {
  type Environment,
  makeFolder,
} from "../../../server/src/platform/settings/read-variable.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import type { Settings } from "../../../server/src/platform/settings/settings.ts";
import { CommandFault, misused, type Outcome } from "../outcome.ts";
import {
  type BackupTarget,
  linesOf,
  listBackups,
  type Manifest,
  NOTHING,
  openTarget,
  pathIn,
  readManifest,
  readParts,
  readUnwrapping,
  readWords,
  type Unwrapping,
} from "./backup-target.ts";
import { findRestorePrograms, restoreDump, unpackBase } from "./postgres-programs.ts";

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe restore SAUVEGARDE [--backup NOM] [--identity FICHIER] [--until MOMENT] [--send-waiting]",
  "",
  "Rétablit la dernière sauvegarde entière dans DATA_DIR (vide, sauf «\u00a0keys\u00a0»), ou dans la base vide de DATABASE_URL et dans STORAGE_URL.",
  "MASTER_KEY est celle du service sauvegardé. Le service ne doit pas tourner ici\u202f; démarrez-le ensuite.",
  "--backup\u00a0: une autre que la dernière. --identity\u00a0: la clé privée age d’une sauvegarde chiffrée.",
  "--until\u00a0: base embarquée, l’état à ce moment (2026-11-27T15:04:00+01:00), ou le dernier (last), par les journaux de WAL_ARCHIVE_DIR.",
  "--send-waiting\u00a0: les messages qui attendaient partiront\u202f; sans cela, leurs expéditeurs les voient comme non envoyés.",
  "",
  "Code de sortie\u00a0: 0 fait, 1 refusé ou fichiers perdus, 64 mauvais usage, 78 réglage refusé.",
];

export type RestoreDeps = {
  readonly environment: Environment;
  readonly folder: string;
  readonly clock?: Clock;
};

const OPTIONS = {
  backup: { type: "string" },
  identity: { type: "string" },
  until: { type: "string" },
  "send-waiting": { type: "boolean" },
} as const;
const STAGE = "restoring";
const AT_ONCE = 8;

type Restore = {
  readonly settings: Settings;
  readonly target: BackupTarget;
  readonly manifest: Manifest;
  readonly unwrap: Unwrapping;
  readonly medium: StoreMedium;
  readonly log: LogToFollow | null;
  /** The next backup, with what was signed between; null: not wanted or absent. */
  readonly later: Manifest | null;
  readonly sendWaiting: boolean;
  readonly clock: Clock;
};

/** Checks all before it writes. Errors: `CommandFault`, `SettingsError`, outages. */
export async function runRestore(words: readonly string[], deps: RestoreDeps): Promise<Outcome> {
  const asked = readWords(words, OPTIONS);
  if (asked === null) return misused(USAGE);
  const settings = readSettings(deps.environment, process.cwd());
  const until = momentOf(asked.text("until"));
  await assertEmptyFolder(settings.dataDir);
  const target = await openTarget(asked.place, { ...deps, service: null });
  const manifest = await chooseManifest(target, asked.text("backup"), until);
  assertWorksOn(await compareMigrations(manifest.migrations));
  await assertMasterKey(settings, manifest);
  const unwrap = await readUnwrapping(
    manifest.recipient,
    pathIn(deps.folder, asked.text("identity")),
  );
  if (unwrap === null)
    throw new CommandFault(
      `Cette sauvegarde est chiffrée pour ${manifest.recipient}\u00a0: donnez sa clé privée par --identity.`,
    );
  const medium = await openMedium(settings.storage, "STORAGE_URL");
  await medium.inspect();
  if ((await medium.readId()) !== null)
    throw new CommandFault(
      "STORAGE_URL mène à un stockage qui sert déjà\u00a0: donnez-en un vide.",
    );
  const log = logOf(settings, manifest, until);
  const work: Restore = {
    settings,
    target,
    manifest,
    unwrap,
    medium,
    log,
    later: log === null ? null : await nextManifest(target, manifest),
    sendWaiting: asked.has("send-waiting"),
    clock: deps.clock ?? systemClock,
  };
  return manifest.database.kind === "base" ? restoreEmbedded(work) : restoreExternal(work);
}

/** Runs last: a service started earlier finds no database, or a foreign store. */
async function restoreEmbedded(work: Restore): Promise<Outcome> {
  const { settings, target, manifest, unwrap } = work;
  if (settings.database.kind === "external")
    throw new CommandFault(
      "Cette sauvegarde est celle d’une base embarquée\u00a0: restaurez-la sans DATABASE_URL.",
    );
  await makeStoreFolder(work);
  const stage = join(settings.dataDir, STAGE);
  const cluster = join(stage, "db");
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await unpackBase(readParts(target.files, unwrap, manifest.database.parts), cluster);
  const outcome = await recoverEmbeddedPostgres(stage, work.log, (url) =>
    onOwner(url, (db) => finish(db, work)),
  ).catch((error: unknown) => {
    if (!(error instanceof LogEndsEarlyError)) throw error;
    if (work.log === null)
      throw new CommandFault(
        `La base de cette sauvegarde ne démarre pas\u00a0: voyez ${join(stage, "postgresql.log")}.`,
        {
          cause: error,
        },
      );
    throw new CommandFault(
      `La base ne revient pas à ce moment\u00a0: les journaux archivés s’arrêtent avant, ou il en manque un (${join(stage, "postgresql.log")}). Videz DATA_DIR avant de recommencer.`,
      { cause: error },
    );
  });
  await rename(cluster, join(settings.dataDir, "db"));
  await rm(stage, { recursive: true, force: true });
  return outcome;
}

async function restoreExternal(work: Restore): Promise<Outcome> {
  const { settings, target, manifest, unwrap } = work;
  const { database } = settings;
  if (database.kind === "embedded")
    throw new CommandFault(
      "Cette sauvegarde est celle d’une base à part\u00a0: donnez DATABASE_URL, une base vide.",
    );
  await findRestorePrograms(manifest.database.server);
  return onOwner(database.url, async (db) => {
    const { rows } =
      await sql`select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('public', 'jobs') limit 1`.execute(
        db,
      );
    if (rows.length > 0)
      throw new CommandFault(
        "La base de DATABASE_URL n’est pas vide\u00a0: un service y travaille peut-être. Donnez une base vide.",
      );
    await makeStoreFolder(work);
    await restoreDump(
      database.url,
      manifest.database.server,
      readParts(target.files, unwrap, manifest.database.parts),
    );
    return finish(db, work);
  });
}

/** A refusal after the database is written would prevent another restore. */
async function makeStoreFolder({
  settings: { storage },
  medium: { example },
}: Restore): Promise<void> {
  if (storage.kind === "folder")
    await makeFolder({ variable: "STORAGE_URL", folder: storage.folder, example });
}

async function onOwner<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connectDatabase(url, { maxConnections: 4 });
  return work(db).finally(() => db.destroy());
}

/** Opens a new store for this database; waiting messages are refused unless to be sent. */
async function finish(db: Database, work: Restore): Promise<Outcome> {
  const { manifest, medium, clock, sendWaiting } = work;
  const id = createIdMaker(clock, randomBytes)();
  await sql`update store_identity set closed_at = ${clock()} where closed_at is null`.execute(db);
  await sql`insert into store_identity (id) values (${id})`.execute(db);
  const unsent = sendWaiting ? 0 : await refuseWaitingNotices({ db, clock });
  await medium.writeDraft(id);
  await medium.nameDraft();
  const files = await medium.open(id, NO_LEDGER);
  const count = await copyFiles(work, files, manifest);
  if (work.later !== null) await copyFiles(work, files, work.later);
  return {
    code: manifest.lost.length === 0 ? 0 : 1,
    lines: [
      `Rétabli\u00a0: la base ${stateOf(work)}, et ${plural(count, "fichier")}.`,
      ...(manifest.lost.length === 0
        ? []
        : [
            `${plural(manifest.lost.length, "fichier manquait", "fichiers manquaient")} déjà quand la sauvegarde a été faite.`,
          ]),
      ...(unsent === 0
        ? []
        : [
            `Les messages qui attendaient (${plural(unsent, "message")}) ne partiront pas\u00a0: leurs expéditeurs les voient comme non envoyés.`,
          ]),
      "Lancez «\u00a0paraphe verify-store --sweep\u00a0», puis démarrez le service.",
    ],
  };
}

function stateOf({ log, manifest }: Restore): string {
  if (log !== null && log.until === null)
    return "telle que la disent les derniers journaux archivés";
  return `telle qu’elle était le ${formatExactInstant(log?.until ?? new Date(manifest.database_at))}`;
}

/** Copies missing files, compares existing ones, and gives their number. */
async function copyFiles(
  { target, unwrap }: Restore,
  files: FileStore,
  { list }: Manifest,
): Promise<number> {
  let count = 0;
  const lines = linesOf(readParts(target.files, NOTHING.unwrap, list.parts));
  const copy = async () => {
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      await files.put(await unwrap(await target.files.get(fromHex(next.value.slice(65)))));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copy));
  return count;
}

/** Takes the one asked for, else the last before the moment. */
async function chooseManifest(
  target: BackupTarget,
  wanted: string | null,
  until: Date | "last" | null,
): Promise<Manifest> {
  if (wanted !== null || !(until instanceof Date)) return readManifest(target, wanted);
  for (const id of (await listBackups(target)).whole.toReversed()) {
    const manifest = await readManifest(target, id);
    if (new Date(manifest.database_at) <= until) return manifest;
  }
  throw new CommandFault(
    `Aucune sauvegarde de ${target.shown} n’est d’avant ce moment (${formatExactInstant(until)}).`,
  );
}

async function nextManifest(
  target: BackupTarget,
  { id, recipient }: Manifest,
): Promise<Manifest | null> {
  const next = (await listBackups(target)).whole.find((other) => other > id);
  const manifest = next === undefined ? null : await readManifest(target, next);
  return manifest?.recipient === recipient ? manifest : null;
}

/** Only `keys` (the master key) may exist. */
async function assertEmptyFolder(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found = names.filter((name) => name !== "keys");
  if (found.includes("db"))
    throw new CommandFault(
      `${dataDir} est celui d’un service, qui tourne peut-être\u00a0: donnez un DATA_DIR vide.`,
    );
  if (found.length > 0)
    throw new CommandFault(`${dataDir} n’est pas vide\u00a0: donnez un DATA_DIR vide.`);
}

async function assertMasterKey(settings: Settings, { data_key }: Manifest): Promise<void> {
  if (data_key === null) return;
  const masterKey = settings.masterKey ?? (await readMasterKey(settings.dataDir));
  if (masterKey === null)
    throw new CommandFault(
      "MASTER_KEY manque\u00a0: donnez la clé du service sauvegardé (MASTER_KEY, ou DATA_DIR/keys/master.key).",
    );
  if (!isMasterKeyOf(masterKey, new Uint8Array(Buffer.from(data_key, "base64"))))
    throw new CommandFault(
      "MASTER_KEY n’est pas la clé de cette sauvegarde\u00a0: donnez celle qui était gardée avec elle.",
    );
}

/** `last`: the end of the archived log. */
function momentOf(text: string | null): Date | "last" | null {
  if (text === null || text === "last") return text;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()) || !/(Z|[+-]\d\d:\d\d)$/.test(text))
    throw new CommandFault(
      "--until ne dit pas un moment, fuseau compris. Exemple\u00a0: --until 2026-11-27T15:04:00+01:00",
    );
  return moment;
}

function logOf(
  { database }: Settings,
  manifest: Manifest,
  until: Date | "last" | null,
): LogToFollow | null {
  const archiveDir = database.kind === "embedded" ? database.archiveDir : null;
  if (until === null) return null;
  if (archiveDir === null || manifest.database.kind !== "base")
    throw new CommandFault(
      "--until demande les journaux d’une base embarquée\u00a0: donnez leur dossier par WAL_ARCHIVE_DIR.",
    );
  if (until === "last") return { archiveDir, until: null };
  if (until < new Date(manifest.database_at))
    throw new CommandFault(
      `Cette sauvegarde est plus récente que ce moment (${formatExactInstant(new Date(manifest.database_at))})\u00a0: choisissez-en une d’avant par --backup.`,
    );
  return { archiveDir, until };
}
