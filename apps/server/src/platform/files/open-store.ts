import { sql } from "kysely";
import type { Clock } from "../platform.ts";
import type { Database, Transaction } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { refuse } from "../settings/read-variable.ts";
import type { Settings, StoragePlace } from "../settings/settings.ts";
import { type FileStore, MissingFileError } from "./file-store.ts";
import { NO_LEDGER, openLedger } from "./store-identity.ts";
import { openMedium, type StoreMedium } from "./store-medium.ts";

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
 * Opens the store whose id this database knows. A place is created once: a missing, empty or
 * foreign one is an unmounted disk. Of two places (`storageFallback`) a new one joins the known
 * one.
 * Errors: `SettingsError` when it is not that store, or not all of it.
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

/** Opens a known store whatever the settings, even one that was left. Errors: `SettingsError`. */
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

async function nameDrafts(db: Database, places: readonly Wanted[]): Promise<void> {
  for (const { medium } of places)
    if ((await medium.readId()) === null) await alone(db, () => medium.nameDraft());
}

type Known = { readonly id: string; readonly closed_at: Date | null };

function knownStores(reader: Database | Transaction): Promise<readonly Known[]> {
  return reader.selectFrom("store_identity").select(["id", "closed_at"]).execute();
}

/**
 * Gives the ids in both the database and the places, main first; creates them where that is right.
 */
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

/** A store that was left takes no writes, and every store with files is read. */
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
