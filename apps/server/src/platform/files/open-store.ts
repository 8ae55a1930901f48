import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database, Transaction } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { makeFolder } from "../settings/make-folder.ts";
import { refuse } from "../settings/read-variable.ts";
import type { FileStore } from "./file-store.ts";
import { openFolderFileStore, STORE_ID, syncFolder } from "./folder-file-store.ts";

const SETTING = { variable: "STORAGE_URL", example: "/var/lib/paraphe/fichiers" };

/**
 * Opens the store that this database refers to: one id stands in both. The folder is made the first time, and never again: one that is missing, empty or
 * another's is a disk that is not mounted.
 * Errors: throws `SettingsError` when it is not that store.
 */
export async function openStore(db: Database, place: { readonly folder: string; newId(): string }): Promise<FileStore> {
  const { folder } = place;
  // Of processes that start together, one makes it.
  const alone = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    inTransaction(db, async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('store_identity', 20260003))`.execute(trx);
      return work(trx);
    });
  const id = await alone((trx) => agreeOnId(trx, place));
  // A start that is cut before this leaves a draft, which only the database that knows its id takes up.
  if ((await readId(folder, STORE_ID)) !== id) await alone(() => nameDraft(folder));
  return openFolderFileStore(folder, id);
}

/** Gives the id that the database knows, the folder's too; made for both where neither has one. */
async function agreeOnId(trx: Transaction, { folder, newId }: { readonly folder: string; newId(): string }): Promise<string> {
  const known = (await trx.selectFrom("store_identity").select("id").executeTakeFirst())?.id ?? null;
  const found = await readId(folder, STORE_ID);
  if (known === null && found === null) {
    await makeFolder({ ...SETTING, folder });
    const made = newId();
    await writeDraft(folder, made);
    await trx.insertInto("store_identity").values({ id: made }).execute();
    return made;
  }
  if (known !== null && (found ?? (await readId(folder, DRAFT))) === known) return known;
  return refuse(SETTING.variable, found === null ? AWAY : ANOTHER, SETTING.example);
}

const AWAY = "ne mène pas aux fichiers de cette base, peut-être parce que le disque n’est pas monté";
const ANOTHER = "mène aux fichiers d’une autre base";
const DRAFT = `${STORE_ID}.draft`;

async function readId(folder: string, name: string): Promise<string | null> {
  return readFile(join(folder, name), "utf8").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    },
  );
}

/** Its bytes are on the disk before the database says that it is there. */
async function writeDraft(folder: string, id: string): Promise<void> {
  const handle = await open(join(folder, DRAFT), "w", 0o600);
  try {
    await handle.writeFile(`${id}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(folder);
}

/** Makes the draft the store's id, unless another process has. */
async function nameDraft(folder: string): Promise<void> {
  if ((await readId(folder, DRAFT)) === null) return;
  await rename(join(folder, DRAFT), join(folder, STORE_ID));
  await syncFolder(folder);
}
