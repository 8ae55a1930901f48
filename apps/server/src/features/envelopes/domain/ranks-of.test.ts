import { expect, it } from "vitest";
import { ranksOf } from "./ranks-of.ts";

it("follows the list in a sequential flow whose order nobody gave, and what was given otherwise", () => {
  expect(ranksOf("sequential", [{}, {}, {}])).toEqual([1, 2, 3]);
  expect(ranksOf("sequential", [{ order: 2 }, {}, { order: 2 }])).toEqual([2, 1, 2]);
  expect(ranksOf("sequential", [{ order: 1 }, { order: 1 }])).toEqual([1, 1]);
  expect(ranksOf("parallel", [{}, {}])).toEqual([1, 1]);
});
