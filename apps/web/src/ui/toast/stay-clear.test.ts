import { expect, it } from "vitest";
import { climb } from "./toast-region.tsx";

/** At the right edge of a window of 1000 by 600. */
const toast = { left: 600, right: 980, top: 520, bottom: 580 };
const row = (top: number, bottom: number, [left, right] = [0, 1000]) => ({
  left,
  right,
  top,
  bottom,
});

it("a message that covers nothing stays at its place", () => {
  expect(climb(toast, [row(0, 60), row(585, 600), row(530, 560, [0, 590])])).toBe(0);
});

it("a message rises above all it would cover, in whatever order it stands", () => {
  expect(climb(toast, [row(480, 500), row(540, 560), row(100, 120)])).toBe(108);
});

it("a message has no place where no room is clear", () => {
  const rows = Array.from({ length: 15 }, (_, index) => row(index * 40, index * 40 + 38));
  expect(climb(toast, rows)).toBeNull();
});
