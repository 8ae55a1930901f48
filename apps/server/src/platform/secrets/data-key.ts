import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { Database } from "../database/database.ts";
import { type Settings, SettingsError } from "../settings/settings.ts";
import {
  adoptNextMasterKey,
  loadOrMakeMasterKey,
  makeNextMasterKey,
  readMasterKey,
  readNextMasterKey,
} from "./master-key.ts";
import type { SecretBox } from "./secret-box.ts";
import {
  insertDataKey,
  isInUse,
  loadDataKey,
  replaceDataKey,
  whileAloneWithKeys,
} from "./store.ts";

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const VERSION = 1;

/**
 * Wraps with keys derived from this 32-byte key, one per purpose.
 * Shape: version (1 byte) ‖ nonce (12) ‖ tag (16) ‖ ciphertext.
 * Source: NIST SP 800-38D §8.2.2 (random nonces); RFC 5869 (HKDF-SHA-256).
 */
export function createSecretBox(
  masterKey: Uint8Array,
  random: (length: number) => Uint8Array,
): SecretBox {
  if (masterKey.length !== 32) throw new Error("The master key must be 32 bytes long");
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", masterKey, new Uint8Array(), `paraphe ${purpose}`, 32));
  const wrappingKey = derive("wrap");
  /** Deriving takes 0.1 ms, on every request without a session. */
  const hmacKeys = new Map<string, KeyObject>();
  const hmacKey = (purpose: string): KeyObject => {
    const key = hmacKeys.get(purpose) ?? createSecretKey(derive(`hmac ${purpose}`));
    hmacKeys.set(purpose, key);
    return key;
  };
  return {
    wrap(plain, context) {
      const nonce = random(NONCE_LENGTH);
      const cipher = createCipheriv("aes-256-gcm", wrappingKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return new Uint8Array(
        Buffer.concat([Uint8Array.of(VERSION), nonce, cipher.getAuthTag(), body]),
      );
    },
    unwrap(wrapped, context) {
      const bodyStart = 1 + NONCE_LENGTH + TAG_LENGTH;
      if (wrapped.length < bodyStart || wrapped[0] !== VERSION)
        throw new Error("This is not a wrapped secret");
      const decipher = createDecipheriv(
        "aes-256-gcm",
        wrappingKey,
        wrapped.subarray(1, 1 + NONCE_LENGTH),
        { authTagLength: TAG_LENGTH },
      );
      decipher
        .setAAD(Buffer.from(context))
        .setAuthTag(wrapped.subarray(1 + NONCE_LENGTH, bodyStart));
      return new Uint8Array(
        Buffer.concat([decipher.update(wrapped.subarray(bodyStart)), decipher.final()]),
      );
    },
    hmac: (purpose, data) =>
      new Uint8Array(createHmac("sha256", hmacKey(purpose)).update(data).digest()),
  };
}

export type DataKeyDeps = {
  readonly db: Database;
  readonly settings: Pick<Settings, "masterKey" | "dataDir">;
  readonly random: (length: number) => Uint8Array;
};

const CONTEXT = "data key";

/**
 * Gives the box of the service's data key. It is made once, random, and `MASTER_KEY` wraps nothing else: another master key changes neither the secrets at
 * rest nor what is derived (printed codes, CSRF tokens, the authorities' MACs). Where secrets were wrapped by the master key itself, that is the data key.
 * Errors: throws `SettingsError` where `MASTER_KEY` is not this database's.
 */
export function openSecrets(deps: DataKeyDeps): Promise<SecretBox> {
  return whileAloneWithKeys(deps.db, () => openAlone(deps));
}

async function openAlone(deps: DataKeyDeps): Promise<SecretBox> {
  const { db, settings, random } = deps;
  if ((await loadDataKey(db)) === null) {
    const masterKey = settings.masterKey ?? (await loadOrMakeMasterKey(settings.dataDir, random));
    const made = (await isInUse(db)) ? masterKey : random(32);
    await insertDataKey(db, createSecretBox(masterKey, random).wrap(made, CONTEXT));
  }
  return createSecretBox((await openDataKey(deps)).dataKey, random);
}

export type MasterKeyFault = "no_new_master_key" | "same_master_key";

/**
 * Wraps the data key by another master key: `given`, or one made in the data folder where the present one lies there. One statement decides which of the two
 * is valid; a file that a cut left behind is taken up at the next start. Running processes go on: they hold the data key.
 * Errors: `no_new_master_key` where `MASTER_KEY` is a setting and no other is given; `same_master_key`.
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
