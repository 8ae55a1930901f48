import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AlteredFileError, type FileStore, MissingFileError, StorageFullError } from "./file-store.ts";
import { openFolderFileStore } from "./folder-file-store.ts";

let folder: string;
let files: FileStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-files-"));
  files = await openFolderFileStore(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = new TextEncoder().encode("un contrat");
const nothing = new Uint8Array(32);

test("keeps bytes under their SHA-256 and gives them back", async () => {
  const sha256 = await files.put(bytes);
  expect(sha256).toEqual(new Uint8Array(createHash("sha256").update(bytes).digest()));
  expect(await files.get(sha256)).toEqual(bytes);
  expect(await files.size(sha256)).toBe(bytes.length);
});

test("streams a range of a file", async () => {
  const sha256 = await files.put(bytes);
  const stream = (await files.stream(sha256, { start: 3, end: 9 })) as NodeJS.ReadableStream & AsyncIterable<Buffer>;
  expect((await buffer(stream)).toString()).toBe("contrat");
});

test("stores the same bytes once, whoever asks at the same time, and leaves no draft", async () => {
  await Promise.all(Array.from({ length: 10 }, () => files.put(bytes)));
  expect(await collect(files.list())).toHaveLength(1);
  expect(await readdir(join(folder, "drafts"))).toEqual([]);
});

test("writes again a file that a crash of the medium left short", async () => {
  const sha256 = await files.put(bytes);
  await writeFile(pathOf(sha256), "un");
  await files.put(bytes);
  expect(await files.get(sha256)).toEqual(bytes);
});

test("writes again a file that was altered without changing its length", async () => {
  const sha256 = await files.put(bytes);
  await writeFile(pathOf(sha256), "un CONTRAT");
  await files.put(bytes);
  expect(await files.get(sha256)).toEqual(bytes);
  expect(await readdir(join(folder, "drafts"))).toEqual([]);
});

test("refuses to give a file whose bytes were changed", async () => {
  const sha256 = await files.put(bytes);
  await writeFile(pathOf(sha256), "un CONTRAT");
  await expect(files.get(sha256)).rejects.toThrow("no longer has its hash");
});

test("streams no byte of a file that was changed, whatever part is asked for, even after it was sound", async () => {
  const sha256 = await files.put(bytes);
  (await files.stream(sha256)).resume();
  await writeFile(pathOf(sha256), "un CONTRAT");
  await expect(files.stream(sha256)).rejects.toBeInstanceOf(AlteredFileError);
  await expect(files.stream(sha256, { start: 0, end: 1 })).rejects.toBeInstanceOf(AlteredFileError);
  await files.put(bytes);
  expect(Buffer.concat(await (await files.stream(sha256)).toArray()).equals(bytes)).toBe(true);
});

test("says that a file is missing", async () => {
  await expect(files.get(nothing)).rejects.toBeInstanceOf(MissingFileError);
  await expect(files.stream(nothing)).rejects.toBeInstanceOf(MissingFileError);
  expect(await files.size(nothing)).toBeNull();
});

test("removes a file, and forgives one that is absent", async () => {
  const sha256 = await files.put(bytes);
  await files.remove(sha256);
  await files.remove(sha256);
  expect(await files.size(sha256)).toBeNull();
});

test.runIf(canMount())("says that the medium is full, keeps nothing of the file, and goes on once there is room", async () => {
  const small = join(folder, "small");
  await mkdir(small);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]);
  try {
    const store = await openFolderFileStore(small);
    await expect(store.put(new Uint8Array(1024 * 1024))).rejects.toBeInstanceOf(StorageFullError);
    expect(await readdir(join(small, "drafts"))).toEqual([]);
    expect(await store.get(await store.put(bytes))).toEqual(bytes);
  } finally {
    execFileSync("umount", [small]);
  }
});

/** A medium of a known size: a small file system in memory, which only root may mount. */
function canMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), "paraphe-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", probe], { stdio: "ignore" });
    execFileSync("umount", [probe], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function pathOf(sha256: Uint8Array): string {
  const name = Buffer.from(sha256).toString("hex");
  return join(folder, name.slice(0, 2), name.slice(2, 4), name);
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
