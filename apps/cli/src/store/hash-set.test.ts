import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createHashSet } from "./named-files.ts";

const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

test("contains exactly the added hashes while it grows", () => {
  const set = createHashSet();
  for (let index = 0; index < 50_000; index++) set.add(hashOf(`known ${index}`));
  for (let index = 0; index < 50_000; index++) expect(set.has(hashOf(`known ${index}`))).toBe(true);
  for (let index = 0; index < 50_000; index++)
    expect(set.has(hashOf(`unknown ${index}`))).toBe(false);
  expect(set.size).toBe(50_000);
});

test("counts a hash once, one beginning with zeros too", () => {
  const set = createHashSet();
  expect(set.has(new Uint8Array(32))).toBe(false);
  for (const hash of [new Uint8Array(32), hashOf("a"), hashOf("a")]) set.add(hash);
  expect([set.has(new Uint8Array(32)), set.size]).toEqual([true, 2]);
});
