import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toBase64 } from "@paraphe/kernel/bytes";

const KEY_LENGTH = 32;

/** Gives the master key of this data folder, made once, readable by its owner only. Two processes that start together end with the same key. */
export async function loadOrMakeMasterKey(
  dataDir: string,
  random: (length: number) => Uint8Array,
): Promise<Uint8Array> {
  await mkdir(join(dataDir, "keys"), { recursive: true, mode: 0o700 });
  return (await readMasterKey(dataDir)) ?? (await makeKey(pathOf(dataDir), random));
}

/** Gives the master key of this data folder; null when there is none. */
export function readMasterKey(dataDir: string): Promise<Uint8Array | null> {
  return readKey(pathOf(dataDir));
}

/** Gives the key that a rotation was about to put in the place of the present one; null when none was. */
export function readNextMasterKey(dataDir: string): Promise<Uint8Array | null> {
  return readKey(nextPath(dataDir));
}

/** Writes the key that is to replace the present one beside it, whole, before anything is wrapped by it. One that a cut left is written over. */
export async function makeNextMasterKey(
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

/** Puts the key that was written beside in the place of the present one. */
export async function adoptNextMasterKey(dataDir: string): Promise<void> {
  const path = pathOf(dataDir);
  await rename(nextPath(dataDir), path).catch((error: NodeJS.ErrnoException) => {
    // A process that started meanwhile did it.
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

/** Written whole under another name, then linked: a link never replaces a key that is there, and no half-written key is ever read. */
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
