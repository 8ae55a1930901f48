import { createHash, randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { toHex } from "@paraphe/kernel/bytes";
import {
  AlteredFileError,
  type CheckedFiles,
  createCheckedFiles,
  type FileStore,
  MissingFileError,
  StorageFullError,
  STORE_ID,
  StoreAwayError,
  type StoreLedger,
} from "./file-store.ts";
import { hashOf } from "../content-hash.ts";

const FULL = new Set(["ENOSPC", "EDQUOT"]);
const AWAY = new Set(["EROFS", "EACCES", "EPERM", "EIO", "ESTALE"]);
const DRAFTS = "drafts";

/** Files stand under `ab/cd/<SHA-256>`. */
export async function openFolderFileStore(
  folder: string,
  id: string,
  ledger: StoreLedger,
): Promise<FileStore> {
  await mkdir(join(folder, DRAFTS), { recursive: true, mode: 0o700 });
  const syncFolders = folderSyncer();
  const checked = createCheckedFiles<string>();
  const assertStore = storeCheck(folder, id);
  const pathOf = (sha256: Uint8Array) => {
    const name = toHex(sha256);
    return join(folder, name.slice(0, 2), name.slice(2, 4), name);
  };
  /** Where the place is not the store, its disk is away and no file is lost. */
  const orAway = async (error: unknown): Promise<never> => {
    if (error instanceof MissingFileError) await assertStore();
    throw error;
  };
  return {
    async put(bytes) {
      const sha256 = hashOf(bytes);
      // Files of one tick share a statement.
      await Promise.all([assertStore(), ledger.admit(sha256)]);
      await orStorageFull(() =>
        writeDurably({
          bytes,
          path: pathOf(sha256),
          draft: join(folder, DRAFTS, randomUUID()),
          syncFolders,
        }),
      );
      return sha256;
    },
    async get(sha256) {
      return readWhole(pathOf(sha256), sha256).catch(orAway);
    },
    async stream(sha256, range) {
      const handle = await openWhole(pathOf(sha256), sha256, checked).catch(orAway);
      return handle.createReadStream({ start: 0, ...range });
    },
    async size(sha256) {
      try {
        return (await orMissing(stat(pathOf(sha256)), sha256).catch(orAway)).size;
      } catch (error) {
        if (error instanceof MissingFileError) return null;
        throw error;
      }
    },
    async remove(sha256) {
      // Refuses a folder that belongs to another service's store.
      await assertStore();
      await rm(pathOf(sha256), { force: true });
    },
    list: () => listFiles(folder),
    async check() {
      await assertStore();
      await ledger.assertOpen();
      await assertWritable(folder);
    },
  };
}

async function assertWritable(folder: string): Promise<void> {
  const probe = join(folder, DRAFTS, randomUUID());
  await orStorageFull(() => writeFile(probe, new Uint8Array(4_096), { mode: 0o600 })).finally(() =>
    rm(probe, { force: true }),
  );
}

async function readWhole(path: string, sha256: Uint8Array): Promise<Uint8Array> {
  const { buffer, byteOffset, length } = await orMissing(readFile(path), sha256);
  const bytes = new Uint8Array(buffer, byteOffset, length);
  if (Buffer.compare(hashOf(bytes), sha256) !== 0)
    throw new AlteredFileError(`The stored file ${toHex(sha256)} no longer has its hash`);
  return bytes;
}

/** Reads by a handle, as the name may lead elsewhere later. */
async function openWhole(
  path: string,
  sha256: Uint8Array,
  checked: CheckedFiles<string>,
): Promise<FileHandle> {
  const handle = await orMissing(open(path, "r"), sha256);
  try {
    await assertWhole(handle, sha256, checked);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads its id again once the file's state differs. */
function storeCheck(folder: string, id: string): () => Promise<void> {
  const path = join(folder, STORE_ID);
  let known: string | null = null;
  return async () => {
    const state = await stateOf(stat(path, { bigint: true })).catch(() => null);
    if (state !== null && state === known) return;
    const found = await readFile(path, "utf8").catch(() => "");
    if (found.trim() !== id)
      throw new StoreAwayError("The folder of STORAGE_URL is not the store of this database");
    known = state;
  };
}

async function stateOf(stats: Promise<BigIntStats>): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stats;
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Hashes again once times, size or inode differ. */
async function assertWhole(
  handle: FileHandle,
  sha256: Uint8Array,
  checked: CheckedFiles<string>,
): Promise<void> {
  const name = toHex(sha256);
  const state = await stateOf(handle.stat({ bigint: true }));
  if (checked.get(name) === state) return;
  const hash = createHash("sha256");
  for await (const part of handle.createReadStream({ start: 0, autoClose: false }))
    hash.update(part);
  if (hash.digest("hex") !== name)
    throw new AlteredFileError(`The stored file ${name} no longer has its hash`);
  checked.set(name, state);
}

/** Syncs bytes, then the name: the file is whole or absent after a power cut. */
async function writeDurably(file: {
  readonly bytes: Uint8Array;
  readonly path: string;
  readonly draft: string;
  readonly syncFolders: (parent: string) => Promise<void>;
}): Promise<void> {
  const parent = dirname(file.path);
  // Its writer may die before the name is synced.
  if (await isStored(file)) return file.syncFolders(parent);
  const handle = await open(file.draft, "wx", 0o600);
  try {
    await handle.writeFile(file.bytes);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(file.draft, { force: true });
    throw error;
  }
  await handle.close();
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await rename(file.draft, file.path);
  await file.syncFolders(parent);
}

async function isStored({ bytes, path }: { bytes: Uint8Array; path: string }): Promise<boolean> {
  if ((await stat(path).catch(() => null))?.size !== bytes.length) return false;
  return Buffer.compare(await readFile(path), bytes) === 0;
}

/** Syncs the name and two folders above, perhaps new; each folder once, since none is removed. */
function folderSyncer(): (parent: string) => Promise<void> {
  const lasting = new Set<string>();
  return async (parent) => {
    const above = dirname(parent);
    const pending = [
      parent,
      ...(lasting.has(parent) ? [] : [above]),
      ...(lasting.has(above) ? [] : [dirname(above)]),
    ];
    await Promise.all(pending.map(syncFolder));
    lasting.add(parent).add(above);
  };
}

export async function syncFolder(folder: string): Promise<void> {
  const handle: FileHandle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function* listFiles(folder: string): AsyncIterable<{ sha256: Uint8Array; writtenAt: Date }> {
  for (const first of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(first)) continue;
    for (const second of await readdir(join(folder, first))) {
      for (const name of await readdir(join(folder, first, second))) {
        if (!/^[0-9a-f]{64}$/.test(name)) continue;
        const found = await stat(join(folder, first, second, name)).catch(() => null);
        if (found)
          yield { sha256: new Uint8Array(Buffer.from(name, "hex")), writtenAt: found.mtime };
      }
    }
  }
}

async function orStorageFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (FULL.has(code))
      throw new StorageFullError("The file store has no room left", { cause: error });
    if (AWAY.has(code))
      throw new StoreAwayError("The file store takes no writes", { cause: error });
    throw error;
  }
}

async function orMissing<T>(work: Promise<T>, sha256: Uint8Array): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new MissingFileError(`Nothing is stored under ${toHex(sha256)}`, {
        cause: error,
      });
    throw error;
  }
}
