import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readZip } from "../../../testing/zip.ts";
import { openArchive, ReaderGoneError } from "./open-archive.ts";

const now = new Date("2026-11-21T10:00:00.000Z");
const file = (bytes: Uint8Array) => ({ sizeBytes: bytes.length, open: async () => Readable.from([bytes]) });

test("holds what was added, in order", async () => {
  const archive = openArchive(now);
  const read = buffer(archive.output);
  await archive.addText("a/un.txt", ["Éloïse\n", "Zoé\n"]);
  await archive.addFile("deux.bin", file(new Uint8Array(100_000).fill(7)));
  archive.end();
  const zip = readZip(await read);
  expect([...zip.keys()]).toEqual(["a/un.txt", "deux.bin"]);
  expect([zip.get("a/un.txt")?.toString(), zip.get("deux.bin")?.length]).toEqual(["Éloïse\nZoé\n", 100_000]);
});

test("takes no more than its reader does: of 2 GB, nothing piles up behind a reader that stops", async () => {
  const archive = openArchive(now);
  let made = 0;
  const piece = new Uint8Array(1 << 20);
  async function* pieces() {
    for (let n = 0; n < 2_048; n++) {
      made += piece.length;
      yield piece;
    }
  }
  const adding = archive.addFile("gros.bin", { sizeBytes: 2 ** 31, open: async () => Readable.from(pieces(), { objectMode: false }) });
  const caught = adding.catch((error: unknown) => error);
  await new Promise((resolve) => archive.output.once("readable", resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(made).toBeLessThan(16 << 20);
  archive.output.destroy();
  expect(await caught).toBeInstanceOf(ReaderGoneError);
});

test("tells whoever fills it that its reader left, and closes the open file", async () => {
  const archive = openArchive(now);
  const stalled = new Readable({ read: () => {} });
  const adding = archive.addFile("un.bin", { sizeBytes: 10, open: async () => stalled });
  const caught = adding.catch((error: unknown) => error);
  archive.output.resume();
  await new Promise((resolve) => setImmediate(resolve));
  archive.output.destroy();
  expect(await caught).toBeInstanceOf(ReaderGoneError);
  expect(stalled.destroyed).toBe(true);
  await expect(archive.addText("deux.txt", [""])).rejects.toBeInstanceOf(ReaderGoneError);
});

test("breaks off when a file does, so that nobody takes a part for the whole", async () => {
  const archive = openArchive(now);
  const read = buffer(archive.output);
  const broken = { sizeBytes: 10, open: async () => Readable.from([new Uint8Array(4)]) };
  void archive.addFile("court.bin", broken).then(
    () => archive.end(),
    () => undefined,
  );
  await expect(read).rejects.toThrow("unexpected number of bytes");
});

test("holds a thousand entries without a listener left behind for each", async () => {
  const archive = openArchive(now);
  const read = buffer(archive.output);
  for (let n = 0; n < 1_000; n++) await archive.addText(`${n}.txt`, [String(n)]);
  expect(archive.output.listenerCount("close")).toBeLessThan(5);
  archive.end();
  expect(readZip(await read).size).toBe(1_000);
});
