import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createHashSet } from "./named-files.ts";

const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

test("contains exactly the added hashes while it grows", () => {
  const set = createHashSet();
  const hashes = (kind: string) =>
    Array.from({ length: 50_000 }, (_, index) => hashOf(`${kind} ${index}`));
  for (const hash of hashes("known")) set.add(hash);
  expect(hashes("known").every((hash) => set.has(hash))).toBe(true);
  expect(hashes("unknown").some((hash) => set.has(hash))).toBe(false);
  expect(set.size).toBe(50_000);
});

test("counts a hash once, one beginning with zeros too", () => {
  const set = createHashSet();
  expect(set.has(new Uint8Array(32))).toBe(false);
  for (const hash of [new Uint8Array(32), hashOf("a"), hashOf("a")]) set.add(hash);
  expect([set.has(new Uint8Array(32)), set.size]).toEqual([true, 2]);
});
