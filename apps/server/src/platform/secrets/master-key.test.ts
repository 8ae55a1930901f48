import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadOrMakeMasterKey } from "./master-key.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-key-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("makes a key once, which only its owner may read", async () => {
  const key = await loadOrMakeMasterKey(folder, random);
  expect(key).toHaveLength(32);
  expect(await loadOrMakeMasterKey(folder, random)).toEqual(key);
  expect((await stat(join(folder, "keys/master.key"))).mode & 0o777).toBe(0o600);
});

test("gives the same key to processes that start together", async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrMakeMasterKey(folder, random)));
  expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
  expect(await readdir(join(folder, "keys"))).toEqual(["master.key"]);
});

test("refuses a damaged key rather than making another, which would lose every secret", async () => {
  await loadOrMakeMasterKey(folder, random);
  await writeFile(join(folder, "keys/master.key"), "abc\n");
  await expect(loadOrMakeMasterKey(folder, random)).rejects.toThrow("32-byte key");
});
