import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { toBase64 } from "@paraphe/kernel/bytes";

const KEY_LENGTH = 32;

/** Created once, readable by its owner only; two processes that start together get the same key. */
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

/** The key of an unfinished rotation. */
export function readNextMasterKey(dataDir: string): Promise<Uint8Array | null> {
  return readKey(nextPath(dataDir));
}

/** Writes the next key whole before anything is wrapped by it, over one that a cut left. */
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

export async function adoptNextMasterKey(dataDir: string): Promise<void> {
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

/** A link never replaces an existing key, nor exposes a half-written one. */
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
