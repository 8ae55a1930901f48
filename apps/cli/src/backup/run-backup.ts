import { randomBytes } from "node:crypto";
import { createGzip } from "node:zlib";
import { sql } from "kysely";
import program from "../../../server/package.json" with { type: "json" };
import { type HeldRemovals, holdRemovals } from "../../../server/src/platform/backup/hold-removals.ts";
import { insertBackup } from "../../../server/src/platform/backup/store.ts";
import { type Clock, systemClock } from "../../../server/src/platform/clock.ts";
import type { Database } from "../../../server/src/platform/database/database.ts";
import { openBaseBackup } from "../../../server/src/platform/database/embedded/base-backup.ts";
import { AlteredFileError, type FileStore, MissingFileError } from "../../../server/src/platform/files/file-store.ts";
import { openStore } from "../../../server/src/platform/files/open-store.ts";
import { createIdMaker } from "../../../server/src/platform/new-id.ts";
import { loadDataKey } from "../../../server/src/platform/secrets/store.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import type { Environment } from "../../../server/src/platform/settings/read-variable.ts";
import type { Settings } from "../../../server/src/platform/settings/settings.ts";
import { CommandFault } from "../command-fault.ts";
import { onDatabase, type OpenDatabase } from "../open-database.ts";
import { done, misused, type Outcome } from "../outcome.ts";
import { type BackupTarget, openTarget } from "./backup-target.ts";
import { copyFiles, type Copied } from "./copy-files.ts";
import { createWrapping, NOTHING, type Wrapping } from "./envelope.ts";
import { beginNote, listBackups, type Manifest, readManifest, writeManifest } from "./manifest.ts";
import { linesOf, readParts, writeParts } from "./parts.ts";
import { findPostgresProgram, openDump } from "./postgres-programs.ts";
import { readWords } from "./read-words.ts";

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe backup SAUVEGARDE [--recipient age1…]",
  "",
  "Sauvegarde la base puis les fichiers, pendant que le service tourne. SAUVEGARDE est un dossier, ou s3://seau/dossier?endpoint=…&region=….",
  "Seuls les fichiers qui n’y sont pas encore sont copiés. Rien n’est retiré du stockage pendant ce temps.",
  "--recipient\u00a0: chiffre tout pour cette clé publique (age-keygen)\u202f; la clé privée ne sert qu’à restaurer.",
  "MASTER_KEY n’y est jamais\u00a0: gardez-la ailleurs.",
  "",
  "Code de sortie\u00a0: 0 fait, 1 refusé ou fichiers perdus, 64 mauvais usage, 75 une autre sauvegarde est en cours, 78 réglage refusé.",
];

export type BackupDeps = {
  readonly environment: Environment;
  /** Where paths begin. */
  readonly folder: string;
  readonly clock?: Clock;
};

const COUNT = new Intl.NumberFormat("fr-FR");
const MEGABYTES = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 1 });

/** Runs `paraphe backup`. Errors: `CommandFault`, `SettingsError`, outages. */
export async function runBackup(words: readonly string[], deps: BackupDeps): Promise<Outcome> {
  const asked = readWords(words, { recipient: { type: "string" } });
  if (asked === null) return misused(USAGE);
  const wrapping = createWrapping(asked.text("recipient"));
  const settings = readSettings(deps.environment, process.cwd());
  return onDatabase(settings, async (opened) => {
    const source = await openStore(opened.db, settings, { clock: systemClock, newId: createIdMaker(systemClock, randomBytes) });
    const target = await openTarget(asked.place, { ...deps, service: await serviceOf(opened.db) });
    const major = await majorOf(opened.db);
    // Before anything is written.
    if (settings.database.kind === "external") await findPostgresProgram("pg_dump", major);
    const held = await holdRemovals(opened.url);
    if (held === null)
      throw new CommandFault("Une autre sauvegarde de ce service est en cours\u00a0: relancez la commande quand elle sera finie.", {
        code: 75,
      });
    try {
      return await backUp({ ...opened, settings, source, target, wrapping, major, held, clock: deps.clock ?? systemClock });
    } finally {
      await held.release();
    }
  });
}

type Work = OpenDatabase & {
  readonly settings: Settings;
  readonly source: FileStore;
  readonly target: BackupTarget;
  readonly wrapping: Wrapping;
  readonly major: number;
  readonly held: HeldRemovals;
  readonly clock: Clock;
};

/** The database first, then every file that it names: what is signed meanwhile is in neither, or in both. */
async function backUp(work: Work): Promise<Outcome> {
  const { db, target, wrapping, held, clock } = work;
  const startedAt = clock();
  const id = startedAt.toISOString().replaceAll(/[:.]/g, "-");
  const before = lastList(target, wrapping);
  await beginNote(target, id, startedAt);
  const database = await storeDatabase(work);
  const databaseAt = clock();
  const copied: Copied = { files: 0, bytes: 0, copied: 0, lost: [] };
  const list = await writeParts(target.files, NOTHING, copyFiles({ db, source: work.source, target, wrapping, before }, copied));
  await held.assertHeld();
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
    data_key: dataKey === null ? null : Buffer.from(dataKey).toString("base64"),
    migrations: [...work.migrations],
  };
  await writeManifest(target, manifest);
  await insertBackup(db, { id, place: target.shown, startedAt, endedAt, files: copied.files, bytes: copied.bytes });
  return describe(manifest, copied, target);
}

async function storeDatabase({ settings, url, major, target, wrapping }: Work): Promise<Manifest["database"]> {
  if (settings.database.kind === "external")
    return { kind: "dump", server: major, parts: await writeParts(target.files, wrapping, await openDump(url, major)) };
  const base = await openBaseBackup(url);
  const gzip = createGzip({ level: 1 });
  base.on("error", (error) => gzip.destroy(error));
  return { kind: "base", server: major, parts: await writeParts(target.files, wrapping, base.pipe(gzip)) };
}

/** The list of the last backup to the same key: what it names need not be encrypted again. What is not encrypted is named by its hash already. */
async function* lastList(target: BackupTarget, { recipient }: Wrapping): AsyncGenerator<string, void> {
  if (recipient === null || (await listBackups(target)).whole.length === 0) return;
  const last = await readManifest(target, null);
  if (last.recipient !== recipient) return;
  try {
    yield* linesOf(readParts(target.files, NOTHING.unwrap, last.list.parts));
  } catch (error) {
    // Then the files are encrypted anew.
    if (!(error instanceof MissingFileError || error instanceof AlteredFileError)) throw error;
  }
}

function describe({ id, lost, recipient }: Manifest, { files, copied, bytes }: Copied, target: BackupTarget): Outcome {
  const lines = [
    `Sauvegarde ${id}, dans ${target.shown}\u00a0: la base et ${COUNT.format(files)} fichiers (${MEGABYTES.format(bytes / 1e6)} Mo), dont ${COUNT.format(copied)} copiés cette fois.`,
    recipient === null
      ? "MASTER_KEY n’y est pas\u00a0: gardez-la ailleurs. Rien n’y est chiffré\u00a0: --recipient le fait."
      : "MASTER_KEY n’y est pas\u00a0: gardez-la ailleurs, avec la clé privée qui ouvre cette sauvegarde.",
  ];
  if (lost.length === 0) return done(...lines);
  return {
    code: 1,
    lines: [
      ...lines,
      `${COUNT.format(lost.length)} fichiers manquent dans le stockage, ou y sont abîmés\u00a0: paraphe verify-store les nomme.`,
    ],
  };
}

/** The service, whatever store its files are in by now: the first store that it had. */
export async function serviceOf(db: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from store_identity order by id limit 1`.execute(db);
  if (rows[0] === undefined) throw new Error("The store was opened and has no identity");
  return rows[0].id;
}

async function majorOf(db: Database): Promise<number> {
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int / 10000 as version`.execute(db);
  return rows[0]?.version ?? 0;
}
