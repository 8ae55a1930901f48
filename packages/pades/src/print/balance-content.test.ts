import { expect, test } from "vitest";
import { balanceContent } from "./print-copy.ts";

test("balanced content stays as it is", () => {
  expect(balanceContent("q 1 0 0 1 5 5 cm (Q) Tj Q")).toEqual({
    text: "q 1 0 0 1 5 5 cm (Q) Tj Q",
    isChanged: false,
    open: 0,
  });
});

test("saved states left open are counted", () => {
  expect(balanceContent("q q 0 g Q q")).toMatchObject({ isChanged: false, open: 2 });
});

test("an unmatched restore is removed, and what follows keeps its state", () => {
  const { text, isChanged, open } = balanceContent("2 0 0 2 0 0 cm Q 0 0 10 10 re f q Q Q q");
  expect(text.split(/\s+/).join(" ")).toBe("2 0 0 2 0 0 cm 0 0 10 10 re f q Q q");
  expect([isChanged, open]).toEqual([true, 1]);
});
