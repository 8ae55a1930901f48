import { open, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { makeFolder } from "../settings/make-folder.ts";
import { refuse } from "../settings/read-variable.ts";
import type { FileStore } from "./file-store.ts";
import { openFolderFileStore, STORE_ID } from "./folder-file-store.ts";

const SETTING = { variable: "STORAGE_URL", example: "/var/lib/paraphe/fichiers" };

/**
 * Opens the store that this database refers to: one id stands in both. The folder is made the first time, and never again: one that is missing, empty or
 * another's is a disk that is not mounted.
 * Errors: throws `SettingsError` when it is not that store.
 */
export async function openStore(db: Database, { folder, newId }: { readonly folder: string; newId(): string }): Promise<FileStore> {
  const id = await inTransaction(db, async (trx) => {
    // Of processes that start together, one makes it.
    await sql`select pg_advisory_xact_lock(hashtextextended('store_identity', 20260003))`.execute(trx);
    const known = (await trx.selectFrom("store_identity").select("id").executeTakeFirst())?.id ?? null;
    const found = await readStoreId(folder);
    if (known !== null && found === known) return known;
    if (known !== null)
      refuse(
        SETTING.variable,
        found === null ? "ne mène pas aux fichiers de cette base, peut-être parce que le disque n’est pas monté" : ANOTHER,
        SETTING.example,
      );
    // A start that was cut short leaves an id, and no file yet.
    if (found !== null && (await holdsFiles(folder))) refuse(SETTING.variable, ANOTHER, SETTING.example);
    await makeFolder({ ...SETTING, folder });
    const made = found ?? newId();
    if (found === null) await writeStoreId(folder, made);
    await trx.insertInto("store_identity").values({ id: made }).execute();
    return made;
  });
  return openFolderFileStore(folder, id);
}

const ANOTHER = "mène aux fichiers d’une autre base";

async function readStoreId(folder: string): Promise<string | null> {
  return readFile(join(folder, STORE_ID), "utf8").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    },
  );
}

async function holdsFiles(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((name) => /^[0-9a-f]{2}$/.test(name));
}

/** Its bytes are on the disk before the database says that it is there. */
async function writeStoreId(folder: string, id: string): Promise<void> {
  const draft = join(folder, `${STORE_ID}.draft`);
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(`${id}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, STORE_ID));
  const parent = await open(folder, "r");
  await parent.sync().finally(() => parent.close());
}
