import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolderFileStore } from "../../platform/files/folder-file-store.ts";
import type { FileStore } from "../../platform/files/file-store.ts";
import { archiveFiles } from "./archive-files.ts";
import type { StoredFile } from "./open-files.ts";

let folder: string;
let files: FileStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-archive-"));
  files = await openFolderFileStore(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function stored(name: string, size: number): Promise<StoredFile> {
  const bytes = new Uint8Array(size).fill(name.length);
  return { name, sha256: await files.put(bytes), sizeBytes: size };
}

function pathOf({ sha256 }: StoredFile): string {
  const name = Buffer.from(sha256).toString("hex");
  return join(folder, name.slice(0, 2), name.slice(2, 4), name);
}

test("gives the same bytes each time", async () => {
  const chosen = [await stored("un.pdf", 1_000), await stored("deux.pdf", 200_000)];
  const first = await buffer(archiveFiles({ files }, chosen));
  expect(first.equals(await buffer(archiveFiles({ files }, chosen)))).toBe(true);
});

test("holds on to no file that was read, however many there are", async () => {
  const chosen = await Promise.all(Array.from({ length: 40 }, (_, index) => stored(`${index}.pdf`, 1_000 + index)));
  const archive = archiveFiles({ files }, chosen) as Readable;
  let most = 0;
  archive.on("data", () => {
    most = Math.max(most, archive.listenerCount("close"));
  });
  await new Promise((resolve) => archive.once("end", resolve));
  expect(most).toBeLessThan(10);
});

test("ends with an error, and the process with none, when a file is gone", async () => {
  const chosen = [await stored("un.pdf", 1_000), await stored("deux.pdf", 2_000)];
  await files.remove(chosen[1]?.sha256 ?? new Uint8Array());
  await expect(buffer(archiveFiles({ files }, chosen))).rejects.toThrow("Nothing is stored");
});

test("ends with an error, and the process with none, when a file is cut short", async () => {
  const chosen = [await stored("un.pdf", 1_000), await stored("deux.pdf", 2_000)];
  await truncate(pathOf(chosen[1] as StoredFile), 10);
  await expect(buffer(archiveFiles({ files }, chosen))).rejects.toThrow("no longer has its hash");
});

test("ends with an error when a file cannot be read, and closes it when nobody reads any more", async () => {
  const chosen = [await stored("un.pdf", 1_000)];
  const opened: Readable[] = [];
  const failing = {
    files: {
      ...files,
      stream: async () => {
        const stream = new Readable({ read: () => {} });
        opened.push(stream);
        return stream;
      },
    },
  } as unknown as { files: FileStore };
  const left = archiveFiles(failing, chosen) as Readable;
  left.resume();
  await expect.poll(() => opened.length).toBe(1);
  left.destroy();
  await expect.poll(() => opened[0]?.destroyed).toBe(true);
  const broken = buffer(archiveFiles(failing, chosen));
  await expect.poll(() => opened.length).toBe(2);
  opened[1]?.destroy(new Error("the disk is gone"));
  await expect(broken).rejects.toThrow("the disk is gone");
});
