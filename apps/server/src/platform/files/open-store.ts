import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Clock } from "../platform.ts";
import type { Database, Transaction } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { BUCKET, FOLDER, makeFolder, refuse } from "../settings/read-variable.ts";
import type { Settings, StoragePlace, FolderPlace } from "../settings/settings.ts";
import {
  type FileStore,
  MissingFileError,
  NO_LEDGER,
  openLedger,
  StorageFullError,
  STORE_ID,
  StoreAwayError,
  type StoreLedger,
} from "./file-store.ts";
import { hashOf } from "../content-hash.ts";
import { openBucket, refusalOf, type S3Bucket } from "../object-store/s3-bucket.ts";
import { openFolderFileStore, syncFolder } from "./folder-file-store.ts";
import { openS3FileStore, readText } from "./s3-file-store.ts";

/** During a move, reads fall back to the old store and removals go to both. */
function withFallback(store: FileStore, old: FileStore): FileStore {
  const orOld = async <T>(work: Promise<T>, read: () => Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof MissingFileError) return read();
      throw error;
    }
  };
  return {
    ...store,
    get: (sha256) => orOld(store.get(sha256), () => old.get(sha256)),
    stream: (sha256, range) => orOld(store.stream(sha256, range), () => old.stream(sha256, range)),
    async size(sha256) {
      return (await store.size(sha256)) ?? (await old.size(sha256));
    },
    async remove(sha256) {
      await old.remove(sha256);
      await store.remove(sha256);
    },
    async *list() {
      yield* store.list();
      for await (const file of old.list()) if ((await store.size(file.sha256)) === null) yield file;
    },
  };
}

const AWAY =
  "ne mène pas aux fichiers de cette base, peut-être parce que le disque n’est pas monté";
const UNKNOWN =
  "ne mène à aucun stockage de cette base\u00a0: démarrez d’abord le service avec STORAGE_URL (le nouveau) et STORAGE_FALLBACK_URL (l’ancien)";
const ANOTHER = "mène aux fichiers d’une autre base";
const LEFT = "mène à un stockage que cette base a quitté\u00a0: ses fichiers ont été déplacés";
const ELSEWHERE =
  "ne mène pas à tous les fichiers de cette base\u00a0: donnez aussi l’autre stockage (STORAGE_URL, STORAGE_FALLBACK_URL), jusqu’à la fin de «\u00a0move-store\u00a0»";

type Deps = { readonly newId: () => string; readonly clock: Clock };
type Wanted = { readonly medium: StoreMedium; readonly variable: string };

/**
 * Opens the store whose id this database knows. A place is created once: missing, empty or foreign,
 * it is an unmounted disk. Of two (`storageFallback`) a new one joins the known one.
 * Errors: `SettingsError` when it is another store, or not all of it.
 */
export async function openStore(
  db: Database,
  { storage, storageFallback }: Pick<Settings, "storage" | "storageFallback">,
  deps: Deps,
): Promise<FileStore> {
  const main = await wanted(storage, "STORAGE_URL");
  const old =
    storageFallback === null ? null : await wanted(storageFallback, "STORAGE_FALLBACK_URL");
  const [id = "", oldId = ""] = await alone(db, (trx) =>
    agree(trx, { main, old, newId: deps.newId }),
  );
  await nameDrafts(db, [main, ...(old === null ? [] : [old])]);
  const store = await main.medium.open(id, openLedger(db, { id, clock: deps.clock }));
  return old === null ? store : withFallback(store, await old.medium.open(oldId, NO_LEDGER));
}

export type KnownStore = { readonly id: string; readonly files: FileStore };

/** Ignores the settings: the store may be one that was left. Errors: `SettingsError`. */
export async function openKnownStore(
  db: Database,
  place: StoragePlace,
  variable: string,
): Promise<KnownStore> {
  const { medium } = await wanted(place, variable);
  const found = await medium.readId();
  const known = await knownStores(db);
  const { id } =
    known.find((store) => store.id === found) ??
    refuse(variable, found === null ? UNKNOWN : ANOTHER, medium.example);
  return { id, files: await medium.open(id, NO_LEDGER) };
}

export async function closeStore(
  { db, clock }: { db: Database; clock: Clock },
  { id, successor }: { id: string; successor: string },
): Promise<Date> {
  return alone(db, async (trx) => {
    const known = await knownStores(trx);
    if (known.find((store) => store.id === successor)?.closed_at !== null)
      throw new Error("The store that files were moved to was left itself");
    const closed = known.find((store) => store.id === id)?.closed_at ?? null;
    if (closed !== null) return closed;
    const now = clock();
    await trx.updateTable("store_identity").set({ closed_at: now }).where("id", "=", id).execute();
    return now;
  });
}

async function wanted(place: StoragePlace, variable: string): Promise<Wanted> {
  const medium = await openMedium(place, variable);
  await medium.inspect();
  return { medium, variable };
}

function alone<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('store_identity', 20260003))`.execute(
      trx,
    );
    return work(trx);
  });
}

/** A start cut short leaves a draft that only its database takes up. */
async function nameDrafts(db: Database, places: readonly Wanted[]): Promise<void> {
  for (const { medium } of places)
    if ((await medium.readId()) === null) await alone(db, () => medium.nameDraft());
}

type Known = { readonly id: string; readonly closed_at: Date | null };

function knownStores(reader: Database | Transaction): Promise<readonly Known[]> {
  return reader.selectFrom("store_identity").select(["id", "closed_at"]).execute();
}

/** Compares ids in database and places, main first; creates them where right. */
async function agree(
  trx: Transaction,
  { main, old, newId }: { main: Wanted; old: Wanted | null; newId: () => string },
): Promise<readonly string[]> {
  if (old === null) {
    const id = await agreeOnId(trx, main, { newId, joins: false });
    return assertUsable(trx, main, [id]);
  }
  const known = await knownStores(trx);
  const isMainKnown = await idIn(main.medium).then((id) => known.some((store) => store.id === id));
  const [first, second] = isMainKnown ? [main, old] : [old, main];
  const one = await agreeOnId(trx, first, { newId, joins: false });
  const other = await agreeOnId(trx, second, { newId, joins: true });
  return assertUsable(trx, main, isMainKnown ? [one, other] : [other, one]);
}

const idIn = async (medium: StoreMedium) => (await medium.readId()) ?? (await medium.readDraft());

async function agreeOnId(
  trx: Transaction,
  { medium, variable }: Wanted,
  { newId, joins }: { newId: () => string; joins: boolean },
): Promise<string> {
  const known = await knownStores(trx);
  const named = await medium.readId();
  const found = named ?? (await medium.readDraft());
  if (found !== null && known.some(({ id }) => id === found)) return found;
  if (named !== null) return refuse(variable, ANOTHER, medium.example);
  const isNew =
    known.length === 0 ||
    (joins && known.filter(({ closed_at }) => closed_at === null).length === 1);
  if (!isNew) return refuse(variable, AWAY, medium.example);
  const made = newId();
  await medium.writeDraft(made);
  await trx.insertInto("store_identity").values({ id: made }).execute();
  return made;
}

/** A store that was left takes no writes; one with files is only read. */
async function assertUsable(
  trx: Transaction,
  { medium, variable }: Wanted,
  ids: readonly string[],
): Promise<readonly string[]> {
  const known = await knownStores(trx);
  if (known.some(({ id, closed_at }) => id === ids[0] && closed_at !== null))
    refuse(variable, LEFT, medium.example);
  if (known.some(({ id, closed_at }) => closed_at === null && !ids.includes(id)))
    refuse(variable, ELSEWHERE, medium.example);
  return ids;
}

const DRAFT = `${STORE_ID}.draft`;

/**
 * An id is a draft until the database knows it.
 * Errors: `SettingsError` where no store can be.
 */
export type StoreMedium = {
  readonly example: string;
  inspect(): Promise<void>;
  readId(): Promise<string | null>;
  readDraft(): Promise<string | null>;
  /** Durable once resolved; creates the place. */
  writeDraft(id: string): Promise<void>;
  nameDraft(): Promise<void>;
  open(id: string, ledger: StoreLedger): Promise<FileStore>;
};

export async function openMedium(place: StoragePlace, variable: string): Promise<StoreMedium> {
  return place.kind === "folder"
    ? folderMedium(place, variable)
    : bucketMedium(await openBucket(place), variable);
}

function folderMedium({ folder }: FolderPlace, variable: string): StoreMedium {
  const readDraft = () => readId(folder, DRAFT);
  return {
    example: FOLDER,
    inspect: async () => {},
    readId: () => readId(folder, STORE_ID),
    readDraft,
    async writeDraft(id) {
      await makeFolder({ variable, folder, example: FOLDER });
      const handle = await open(join(folder, DRAFT), "w", 0o600);
      try {
        await handle.writeFile(`${id}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await syncFolder(folder);
    },
    async nameDraft() {
      if ((await readDraft()) === null) return;
      await rename(join(folder, DRAFT), join(folder, STORE_ID));
      await syncFolder(folder);
    },
    open: (id, ledger) => openFolderFileStore(folder, id, ledger),
  };
}

async function readId(folder: string, name: string): Promise<string | null> {
  return readFile(join(folder, name), "utf8").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    },
  );
}

const START_MS = 15_000;

function bucketMedium(bucket: S3Bucket, variable: string): StoreMedium {
  const signal = () => AbortSignal.timeout(START_MS);
  const orRefuse = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => refuseBucket(error, variable));
  const write = async (name: string, id: string) => {
    const bytes = new TextEncoder().encode(`${id}\n`);
    await orRefuse(bucket.write({ name, bytes, sha256: hashOf(bytes), onlyNew: false }, signal()));
  };
  const readDraft = () => orRefuse(readText(bucket, DRAFT, signal()));
  return {
    example: BUCKET,
    // Without the right to list, a missing object looks forbidden.
    async inspect() {
      try {
        await bucket.list(null, signal());
      } catch (error) {
        if (!isForbidden(error)) refuseBucket(error, variable);
        await orRefuse(readText(bucket, STORE_ID, signal()));
        refuse(
          variable,
          "mène à un seau dont la clé d’accès ne permet pas de lister les objets (s3:ListBucket)",
          BUCKET,
        );
      }
    },
    readId: () => orRefuse(readText(bucket, STORE_ID, signal())),
    readDraft,
    writeDraft: (id) => write(DRAFT, id),
    async nameDraft() {
      const id = await readDraft();
      if (id === null) return;
      await write(STORE_ID, id);
      await orRefuse(bucket.remove(DRAFT, signal()));
    },
    async open(id, ledger) {
      const store = openS3FileStore(bucket, id, ledger);
      await orRefuse(store.check()).catch((error: unknown) => {
        // A full store can still be read.
        if (!(error instanceof StorageFullError)) throw error;
      });
      return store;
    },
  };
}

const refusalBehind = (error: unknown) => refusalOf(error instanceof Error ? error.cause : null);
const isForbidden = (error: unknown) => refusalBehind(error).code === "AccessDenied";

function refuseBucket(error: unknown, variable: string): never {
  if (!(error instanceof StoreAwayError)) throw error;
  const { status, code } = refusalBehind(error);
  if (code === "NoSuchBucket") refuse(variable, "nomme un seau qui n’existe pas", BUCKET);
  if (code === "CredentialsProviderError")
    refuse(
      variable,
      "mène à un seau pour lequel aucune clé d’accès n’est donnée (AWS_ACCESS_KEY_ID, un profil ou un rôle)",
      BUCKET,
    );
  if (status === 301 || status === 307 || code === "AuthorizationHeaderMalformed")
    refuse(variable, "mène à un seau d’une autre région, ou d’une autre adresse", BUCKET);
  if (status === 401 || status === 403)
    refuse(
      variable,
      "mène à un seau dont la clé d’accès est refusée, ou ne permet pas de lire, d’écrire et de supprimer les objets",
      BUCKET,
    );
  throw error;
}
