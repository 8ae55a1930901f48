import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { hashOf, namesWithin, noteBeginning, noteLength } from "./content-hash.ts";

const KB = 1_024;
const noise = (length: number) => new Uint8Array(randomBytes(length));
const plain = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const hex = (bytes: Uint8Array) => Buffer.from(hashOf(bytes)).toString("hex");

test("hashes are those of the bytes, small and large, asked once or again", () => {
  for (const length of [0, 1, 128 * KB - 1, 128 * KB, 500 * KB]) {
    const bytes = noise(length);
    expect([hex(bytes), hex(bytes)]).toEqual([plain(bytes), plain(bytes)]);
  }
});

test("a revision's hash is that of its bytes, also of those written after its beginning was noted", () => {
  const before = noise(300 * KB);
  hashOf(before);
  const after = new Uint8Array([...before, ...noise(20 * KB)]);
  noteBeginning(after, before);
  after.fill(0x30, before.length + 5 * KB, before.length + 9 * KB);
  expect(hex(after)).toBe(plain(after));
  const last = new Uint8Array([...after, 10]);
  noteBeginning(last, after);
  expect(hex(last)).toBe(plain(last));
});

test("beginnings of noted lengths have names; a shorter file and others have none", () => {
  const bytes = noise(400 * KB);
  noteLength(200 * KB);
  noteLength(600 * KB);
  const names = namesWithin(bytes);
  expect(names.get(200 * KB)).toBe(plain(bytes.subarray(0, 200 * KB)));
  expect(names.get(400 * KB)).toBe(plain(bytes));
  expect(names.has(600 * KB)).toBe(false);
  for (let length = 1; length <= 256; length += 1) noteLength(150 * KB + length);
  const later = noise(400 * KB);
  expect(namesWithin(later).has(200 * KB)).toBe(false);
  expect(namesWithin(later).size).toBe(257);
});
