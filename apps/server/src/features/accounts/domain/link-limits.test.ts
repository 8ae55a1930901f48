import { expect, test } from "vitest";
import { linkWindowStart, mayGetLink } from "./link-limits.ts";

const now = new Date("2026-11-21T10:00:00.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test.each([
  [[], true],
  [[60], true],
  [[59], false],
  [[600, 59], false],
  [[60, 600], true],
  [[60, 600, 1_200], false],
])("links made %j seconds ago: one more? %s", (earlier, allowed) => {
  expect(mayGetLink(earlier.map(ago), now)).toBe(allowed);
});

test("links count for an hour", () => {
  expect(linkWindowStart(now)).toEqual(ago(3_600));
});
