import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

const KEY_LENGTH = 32;

/** Gives the master key of this data folder, made once, readable by its owner only. Two processes that start together end with the same key. */
export async function loadOrMakeMasterKey(dataDir: string, random: (length: number) => Uint8Array): Promise<Uint8Array> {
  const folder = join(dataDir, "keys");
  const path = join(folder, "master.key");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return (await readKey(path)) ?? (await makeKey(path, random));
}

async function readKey(path: string): Promise<Uint8Array | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const key = new Uint8Array(Buffer.from(text.trim(), "base64"));
  if (key.length !== KEY_LENGTH) throw new Error(`${path} does not hold a ${KEY_LENGTH}-byte key in base64`);
  return key;
}

/** Written whole under another name, then linked: a link never replaces a key that is there, and no half-written key is ever read. */
async function makeKey(path: string, random: (length: number) => Uint8Array): Promise<Uint8Array> {
  const draft = `${path}.${Buffer.from(random(8)).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${Buffer.from(random(KEY_LENGTH)).toString("base64")}\n`);
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
