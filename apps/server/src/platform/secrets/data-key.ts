import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { type Settings, SettingsError } from "../settings/settings.ts";
import {
  adoptNextMasterKey,
  loadOrMakeMasterKey,
  makeNextMasterKey,
  readMasterKey,
  readNextMasterKey,
} from "./master-key.ts";
import { type SecretBox, createSecretBox } from "./secret-box.ts";

export type DataKeyDeps = {
  readonly db: Database;
  readonly settings: Pick<Settings, "masterKey" | "dataDir">;
  readonly random: (length: number) => Uint8Array;
};

const CONTEXT = "data key";

/**
 * The data key is random, made once, and all that `MASTER_KEY` wraps: a new master key changes no
 * stored secret and nothing derived (printed codes, CSRF tokens, the authorities' MACs).
 * Errors: `SettingsError` where `MASTER_KEY` is not this database's.
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
 * Wraps the data key with another master key: `given`, or a new one in the data folder. One
 * statement switches keys; the next start finishes a rotation that was cut. Running processes have
 * the data key.
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

/** A data folder without the master key of an existing data key is another node's: it gets none. */
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

/** The first one written stays. */
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

/**
 * Serialises opening and replacing the data key: its row and the master key's file change one after
 * the other.
 */
function whileAloneWithKeys<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('data-key', 0))`.execute(trx);
    // On other connections: the row is committed before the file is renamed.
    return work();
  });
}
