import { expect, it } from "vitest";
import { remainingTime } from "./batch-calls.ts";
import {
  groupFormats,
  modelSize,
  pageFormat,
  placeFault,
  placementOf,
  signedPages,
} from "./batch-file.ts";
import { nearestPreset, presetBox, PRESETS } from "./placing.ts";

const A4 = { width: 595, height: 842 };
const A4_WIDE = { width: 842, height: 595 };
const BOX = { x: 0.6, y: 0.8, width: 0.3, height: 0.08 };

it("gives the signed pages of a rule, none where the file lacks that page", () => {
  expect(signedPages({ kind: "last" }, 3)).toEqual([3]);
  expect(signedPages({ kind: "first" }, 3)).toEqual([1]);
  expect(signedPages({ kind: "all" }, 3)).toEqual([1, 2, 3]);
  expect(signedPages({ kind: "number", number: 2 }, 3)).toEqual([2]);
  expect(signedPages({ kind: "number", number: 4 }, 3)).toEqual([]);
  expect(placeFault({ kind: "number", number: 4 }, 3)).toBe(
    "La page 4 n’existe pas dans ce fichier",
  );
  expect(placeFault({ kind: "last" }, 3)).toBeNull();
});

it("sends a page rule as the contract has it", () => {
  const pages = [
    { kind: "last" },
    { kind: "first" },
    { kind: "all" },
    { kind: "number", number: 7 },
  ] as const;
  expect(pages.map((rule) => placementOf({ rule, box: BOX }).page)).toEqual([-1, 1, "all", 7]);
});

it("compares files by their signed page", () => {
  const file = {
    key: "f",
    file: new File([], "a.pdf"),
    state: { kind: "ready", pageCount: 2, first: A4, last: A4_WIDE },
  } as const;
  expect(modelSize({ kind: "last" }, file)).toBe(A4_WIDE);
  expect(modelSize({ kind: "number", number: 2 }, file)).toBe(A4_WIDE);
  expect(modelSize({ kind: "first" }, file)).toBe(A4);
});

it("names a page format, or its size in centimetres", () => {
  expect(
    [
      A4,
      A4_WIDE,
      { width: 842, height: 1191 },
      { width: 612, height: 792 },
      { width: 595, height: 425 },
    ].map(pageFormat),
  ).toEqual(["A4 portrait", "A4 paysage", "A3 portrait", "Lettre US portrait", "21 × 15 cm"]);
});

it("groups files by format, the largest group first", () => {
  expect(groupFormats([A4_WIDE, A4, { width: 596, height: 841 }])).toEqual([
    { format: "A4 portrait", count: 2 },
    { format: "A4 paysage", count: 1 },
  ]);
});

it("recognises a preset, which has the box's size and a margin", () => {
  for (const preset of PRESETS) expect(nearestPreset(presetBox(preset, BOX))).toBe(preset.id);
  expect(nearestPreset({ ...BOX, x: 0.3 })).toBeNull();
  expect(presetBox({ across: 1, down: 1 }, BOX)).toEqual({
    x: 0.64,
    y: 0.86,
    width: 0.3,
    height: 0.08,
  });
});

it.each([
  [null, { at: 5_000, ended: 3 }, null],
  [{ at: 0, ended: 0 }, { at: 0, ended: 0 }, null],
  [{ at: 0, ended: 0 }, { at: 2_000, ended: 20 }, "Environ 4\u00a0s restantes"],
  [{ at: 0, ended: 0 }, { at: 10_000, ended: 15 }, "Environ 30\u00a0s restantes"],
  [{ at: 0, ended: 0 }, { at: 60_000, ended: 10 }, "Environ 5\u00a0min restantes"],
  [{ at: 0, ended: 0 }, { at: 60_000, ended: 60 }, null],
])("says the time left: after %o at %o it is %s", (first, now, words) => {
  expect(remainingTime(first, now, 60)).toBe(words);
});
