import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consistencyRanges,
  createTree,
  hashOfRange,
  inclusionRanges,
  leafHash,
  rootOf,
  subtreesOf,
  verifyConsistency,
  verifyInclusion,
} from "../index.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

/** Vectors of Certificate Transparency's test suites (RFC 6962 hashes, as in RFC 9162). */
const ENTRIES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map(bytes);
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
const KNOWN = {
  h01: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  h1: "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
  h23: "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
  h0to3: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  h4: "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
  h45: "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
  h67: "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
  h4to7: "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
};

const leaves = (count: number, seed = "leaf") =>
  Array.from({ length: count }, (_, index) => leafHash(Buffer.from(`${seed} ${index}`)));

const inclusionPath = (hashes: readonly Uint8Array[], leafIndex: number) =>
  inclusionRanges(leafIndex, hashes.length).map(({ start, end }) =>
    rootOf(hashes.slice(start, end)),
  );
const consistencyPath = (hashes: readonly Uint8Array[], first: number) =>
  consistencyRanges(first, hashes.length).map(({ start, end }) => rootOf(hashes.slice(start, end)));

/** RFC 9162 §2.1.1 by definition. */
function naiveRoot(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return createHash("sha256").digest();
  if (hashes.length === 1) return hashes[0] as Uint8Array;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return createHash("sha256")
    .update(Uint8Array.of(1))
    .update(naiveRoot(hashes.slice(0, split)))
    .update(naiveRoot(hashes.slice(split)))
    .digest();
}

/** `PATH(m, D_n)`, RFC 9162 §2.1.3.1. */
function naiveInclusion(hashes: readonly Uint8Array[], place: number): Uint8Array[] {
  if (hashes.length === 1) return [];
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  return place < split
    ? [...naiveInclusion(left, place), naiveRoot(right)]
    : [...naiveInclusion(right, place - split), naiveRoot(left)];
}

/** `SUBPROOF(m, D_n, b)`, RFC 9162 §2.1.4.1. */
function naiveConsistency(
  hashes: readonly Uint8Array[],
  first: number,
  isWhole = true,
): Uint8Array[] {
  if (first === hashes.length) return isWhole ? [] : [naiveRoot(hashes)];
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  return first <= split
    ? [...naiveConsistency(left, first, isWhole), naiveRoot(right)]
    : [...naiveConsistency(right, first - split, false), naiveRoot(left)];
}

describe("known answers", () => {
  test.each(ROOTS.map((root, size) => [size, root] as const))(
    "the root of the first %i entries",
    (size, root) => {
      expect(hex(rootOf(ENTRIES.slice(0, size).map(leafHash)))).toBe(root);
    },
  );

  test.each([
    [0, 1, []],
    [0, 8, [KNOWN.h1, KNOWN.h23, KNOWN.h4to7]],
    [5, 8, [KNOWN.h4, KNOWN.h67, KNOWN.h0to3]],
    [2, 3, [KNOWN.h01]],
    [
      1,
      5,
      ["6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d", KNOWN.h23, KNOWN.h4],
    ],
  ])("gives the path of leaf %i among %i", (leafIndex, size, path) => {
    const hashes = ENTRIES.slice(0, size).map(leafHash);
    expect(inclusionPath(hashes, leafIndex).map(hex)).toEqual(path);
    const claim = {
      leafHash: hashes[leafIndex] as Uint8Array,
      leafIndex,
      size,
      path: path.map(bytes),
      root: bytes(ROOTS[size] ?? ""),
    };
    expect(verifyInclusion(claim)).toBe(true);
  });

  test.each([
    [1, 1, []],
    [1, 8, [KNOWN.h1, KNOWN.h23, KNOWN.h4to7]],
    [6, 8, [KNOWN.h45, KNOWN.h67, KNOWN.h0to3]],
    [2, 5, [KNOWN.h23, KNOWN.h4]],
  ])("gives the path from %i leaves to %i", (first, second, path) => {
    expect(consistencyPath(ENTRIES.slice(0, second).map(leafHash), first).map(hex)).toEqual(path);
    const claim = {
      first,
      firstRoot: bytes(ROOTS[first] ?? ""),
      second,
      secondRoot: bytes(ROOTS[second] ?? ""),
      path: path.map(bytes),
    };
    expect(verifyConsistency(claim)).toBe(true);
  });
});

describe("every size from 0 to 130", () => {
  const all = leaves(130);
  const roots = Array.from({ length: 131 }, (_, size) => naiveRoot(all.slice(0, size)));

  test("has the root by definition, from any edge", () => {
    const tree = createTree();
    for (let size = 0; size <= 130; size += 1) {
      expect(hex(tree.root())).toBe(hex(roots[size] as Uint8Array));
      if (size < 130) tree.append(all[size] as Uint8Array);
    }
  });

  test("proves each leaf by the defined path", () => {
    for (let size = 1; size <= 130; size += 1) {
      const hashes = all.slice(0, size);
      for (let leafIndex = 0; leafIndex < size; leafIndex += size > 40 ? 7 : 1) {
        const path = inclusionPath(hashes, leafIndex);
        expect(path.map(hex)).toEqual(naiveInclusion(hashes, leafIndex).map(hex));
        const root = roots[size] as Uint8Array;
        expect(
          verifyInclusion({
            leafHash: hashes[leafIndex] as Uint8Array,
            leafIndex,
            size,
            path,
            root,
          }),
        ).toBe(true);
      }
    }
  });

  test("is consistent with each smaller one by the defined path", () => {
    for (let second = 1; second <= 130; second += 1) {
      const hashes = all.slice(0, second);
      for (let first = 1; first <= second; first += second > 40 ? 7 : 1) {
        const path = consistencyPath(hashes, first);
        expect(path.map(hex)).toEqual(naiveConsistency(hashes, first).map(hex));
        const [firstRoot, secondRoot] = [roots[first] as Uint8Array, roots[second] as Uint8Array];
        expect(verifyConsistency({ first, firstRoot, second, secondRoot, path })).toBe(true);
      }
    }
  });

  test("continues from its edge alone", () => {
    for (let size = 0; size < 130; size += 1) {
      const hashes = subtreesOf({ start: 0, end: size }).map(({ level, index }) =>
        naiveRoot(all.slice(index * 2 ** level, (index + 1) * 2 ** level)),
      );
      const tree = createTree({ size, hashes });
      for (const node of tree.append(all[size] as Uint8Array)) {
        expect(hex(node.hash)).toBe(
          hex(
            naiveRoot(all.slice(node.index * 2 ** node.level, (node.index + 1) * 2 ** node.level)),
          ),
        );
      }
      expect(hex(tree.root())).toBe(hex(roots[size + 1] as Uint8Array));
    }
    expect(() => createTree({ size: 3, hashes: [] })).toThrow(RangeError);
  });
});

describe("verification refuses", () => {
  const sizes = fc.integer({ min: 1, max: 70 });
  const tree = sizes.chain((size) =>
    fc.record({ size: fc.constant(size), leafIndex: fc.integer({ min: 0, max: size - 1 }) }),
  );
  const harm = fc.record({ where: fc.nat(), bit: fc.nat(255) });
  const flipped = (hash: Uint8Array, bit: number) =>
    hash.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));

  test("a path that is altered, cut, lengthened or of another leaf or size", () => {
    fc.assert(
      fc.property(tree, harm, ({ size, leafIndex }, { where, bit }) => {
        const hashes = leaves(size);
        const path = inclusionPath(hashes, leafIndex);
        const claim = {
          leafHash: hashes[leafIndex] as Uint8Array,
          leafIndex,
          size,
          path,
          root: rootOf(hashes),
        };
        expect(verifyInclusion(claim)).toBe(true);
        const others = [
          { ...claim, leafHash: flipped(claim.leafHash, bit) },
          { ...claim, root: flipped(claim.root, bit) },
          { ...claim, path: [...path, claim.root] },
          { ...claim, leafIndex: leafIndex === 0 ? size : leafIndex - 1 },
          { ...claim, leafIndex: -1 },
          { ...claim, leafIndex: leafIndex + 0.5 },
          { ...claim, root: claim.root.subarray(1) },
          ...(path.length === 0
            ? []
            : [
                {
                  ...claim,
                  path: path.map((hash, index) =>
                    index === where % path.length ? flipped(hash, bit) : hash,
                  ),
                },
                { ...claim, path: path.slice(1) },
                { ...claim, path: path.slice(0, -1) },
              ]),
        ];
        for (const other of others) expect(verifyInclusion(other)).toBe(false);
      }),
    );
  });

  test("an inconsistent tree", () => {
    fc.assert(
      fc.property(sizes, sizes, harm, (one, other, { where, bit }) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)];
        const hashes = leaves(second);
        const path = consistencyPath(hashes, first);
        const claim = {
          first,
          firstRoot: rootOf(hashes.slice(0, first)),
          second,
          secondRoot: rootOf(hashes),
          path,
        };
        expect(verifyConsistency(claim)).toBe(true);
        const rewritten = hashes.map((hash, index) =>
          index === where % first ? flipped(hash, bit) : hash,
        );
        const others = [
          // The operator rewrites the past and builds a new path.
          { ...claim, secondRoot: rootOf(rewritten), path: consistencyPath(rewritten, first) },
          { ...claim, firstRoot: flipped(claim.firstRoot, bit) },
          { ...claim, secondRoot: flipped(claim.secondRoot, bit) },
          { ...claim, path: [...path, claim.firstRoot] },
          { ...claim, first: 0 },
          { ...claim, second: first - 1 },
          ...(path.length === 0
            ? []
            : [
                {
                  ...claim,
                  path: path.map((hash, index) =>
                    index === where % path.length ? flipped(hash, bit) : hash,
                  ),
                },
                { ...claim, path: path.slice(1) },
              ]),
        ];
        for (const wrong of others) expect(verifyConsistency(wrong)).toBe(false);
      }),
    );
  });

  test("a leaf outside the tree", () => {
    expect(() => inclusionRanges(3, 3)).toThrow(RangeError);
    expect(() => inclusionRanges(-1, 3)).toThrow(RangeError);
    expect(() => consistencyPath(leaves(3), 4)).toThrow(RangeError);
    expect(() => consistencyPath(leaves(3), 0)).toThrow(RangeError);
    expect(() => hashOfRange([])).toThrow(RangeError);
    expect(() => subtreesOf({ start: 1, end: 3 })).toThrow(RangeError);
  });
});
