import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { type Settings, SettingsError } from "../settings/settings.ts";
import { type SecretBox, createSecretBox } from "./secret-box.ts";
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toBase64 } from "@paraphe/kernel/bytes";

export type DataKeyDeps = {
  readonly db: Database;
  readonly settings: Pick<Settings, "masterKey" | "dataDir">;
  readonly random: (length: number) => Uint8Array;
};

const CONTEXT = "data key";

/**
 * The data key is random, made once, and all that `MASTER_KEY` wraps: a new master key changes no
 * stored secret nor anything derived.
 * Errors: `SettingsError` where `MASTER_KEY` is another database's.
 */
export function openSecrets(deps: DataKeyDeps): Promise<SecretBox> {
  return whileAloneWithKeys(deps.db, () => openAlone(deps));
}

async function openAlone(deps: DataKeyDeps): Promise<SecretBox> {
  const { db, settings, random } = deps;
  if ((await loadDataKey(db)) === null) {
    const masterKey = settings.masterKey ?? (await loadOrMakeMasterKey(settings.dataDir, random));
    await insertDataKey(db, createSecretBox(masterKey, random).wrap(random(32), CONTEXT));
  }
  return createSecretBox((await openDataKey(deps)).dataKey, random);
}

export type MasterKeyFault = "no_new_master_key" | "same_master_key";

/**
 * Rotates to `given`, or a new one in the data folder. One statement switches keys; the next start
 * finishes a rotation cut short. Running processes have the data key.
 * Errors: `no_new_master_key` where `MASTER_KEY` is a setting; `same_master_key`.
 */
export function rotateMasterKey(
  deps: DataKeyDeps,
  given: Uint8Array | null,
): Promise<MasterKeyFault | null> {
  return whileAloneWithKeys(deps.db, () => rotateAlone(deps, given));
}

async function rotateAlone(
  deps: DataKeyDeps,
  given: Uint8Array | null,
): Promise<MasterKeyFault | null> {
  const { db, settings, random } = deps;
  if (settings.masterKey !== null && given === null) return "no_new_master_key";
  const { dataKey, opener } = await openDataKey(deps);
  if (given !== null && Buffer.from(given).equals(opener)) return "same_master_key";
  const next =
    settings.masterKey === null
      ? await makeNextMasterKey(settings.dataDir, { given, random })
      : (given as Uint8Array);
  await replaceDataKey(db, createSecretBox(next, random).wrap(dataKey, CONTEXT));
  if (settings.masterKey === null) await adoptNextMasterKey(settings.dataDir);
  return null;
}

export function isMasterKeyOf(masterKey: Uint8Array, wrapped: Uint8Array): boolean {
  try {
    createSecretBox(masterKey, () => new Uint8Array()).unwrap(wrapped, CONTEXT);
    return true;
  } catch {
    return false;
  }
}

type OpenedDataKey = { readonly dataKey: Uint8Array; readonly opener: Uint8Array };

/** A folder without the master key is another node's, and gets none. */
async function openDataKey({ db, settings, random }: DataKeyDeps): Promise<OpenedDataKey> {
  const wrapped = await loadDataKey(db);
  if (wrapped === null) throw new Error("The data key was written and is not there");
  const open = (opener: Uint8Array): OpenedDataKey | null => {
    try {
      return { dataKey: createSecretBox(opener, random).unwrap(wrapped, CONTEXT), opener };
    } catch {
      return null;
    }
  };
  const masterKey = settings.masterKey ?? (await readMasterKey(settings.dataDir));
  const opened = masterKey === null ? null : open(masterKey);
  if (opened !== null) return opened;
  // A rotation was cut between the database and the file's rename.
  const next = settings.masterKey === null ? await readNextMasterKey(settings.dataDir) : null;
  const late = next === null ? null : open(next);
  if (late === null)
    throw new SettingsError(
      "Démarrage impossible\u00a0: MASTER_KEY n’est pas la clé de cette base. Exemple\u00a0: MASTER_KEY=la clé gardée avec sa sauvegarde",
    );
  await adoptNextMasterKey(settings.dataDir);
  return late;
}

export async function loadDataKey(db: Database): Promise<Uint8Array | null> {
  return (await db.selectFrom("data_key").select("wrapped").executeTakeFirst())?.wrapped ?? null;
}

/** Keeps the key of the process that writes first. */
export async function insertDataKey(db: Database, wrapped: Uint8Array): Promise<void> {
  await db
    .insertInto("data_key")
    .values({ wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function replaceDataKey(db: Database, wrapped: Uint8Array): Promise<void> {
  await db.updateTable("data_key").set({ wrapped }).execute();
}

/** Row and file change one after the other. */
function whileAloneWithKeys<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('data-key', 0))`.execute(trx);
    // The work uses other connections, so it commits before the rename.
    return work();
  });
}

const KEY_LENGTH = 32;

/** Made once, for its owner only; processes that start together get the same. */
export async function loadOrMakeMasterKey(
  dataDir: string,
  random: (length: number) => Uint8Array,
): Promise<Uint8Array> {
  await mkdir(join(dataDir, "keys"), { recursive: true, mode: 0o700 });
  return (await readMasterKey(dataDir)) ?? (await makeKey(pathOf(dataDir), random));
}

export function readMasterKey(dataDir: string): Promise<Uint8Array | null> {
  return readKey(pathOf(dataDir));
}

function readNextMasterKey(dataDir: string): Promise<Uint8Array | null> {
  return readKey(nextPath(dataDir));
}

/** Written whole before anything is wrapped by it; replaces one cut short. */
async function makeNextMasterKey(
  dataDir: string,
  {
    given,
    random,
  }: { readonly given: Uint8Array | null; readonly random: (length: number) => Uint8Array },
): Promise<Uint8Array> {
  const key = given ?? random(KEY_LENGTH);
  await rm(nextPath(dataDir), { force: true });
  await makeKey(nextPath(dataDir), () => key);
  return key;
}

async function adoptNextMasterKey(dataDir: string): Promise<void> {
  const path = pathOf(dataDir);
  await rename(nextPath(dataDir), path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await syncFolder(join(path, ".."));
}

function pathOf(dataDir: string): string {
  return join(dataDir, "keys", "master.key");
}

function nextPath(dataDir: string): string {
  return `${pathOf(dataDir)}.next`;
}

async function readKey(path: string): Promise<Uint8Array | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const key = new Uint8Array(Buffer.from(text.trim(), "base64"));
  if (key.length !== KEY_LENGTH)
    throw new Error(`${path} does not hold a ${KEY_LENGTH}-byte key in base64`);
  return key;
}

/** A link replaces no key, nor shows half of one. */
async function makeKey(path: string, random: (length: number) => Uint8Array): Promise<Uint8Array> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${toBase64(random(KEY_LENGTH))}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  await syncFolder(join(path, ".."));
  const key = await readKey(path);
  if (key === null) throw new Error(`${path} was removed while it was made`);
  return key;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
