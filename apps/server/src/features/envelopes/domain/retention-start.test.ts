import { expect, test } from "vitest";
import { retentionStart } from "./retention-start.ts";

test.each([
  ["2036-11-21T10:00:00.000Z", "2026-11-21T10:00:00.000Z"],
  ["2037-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ["2036-02-29T12:00:00.000Z", "2026-02-28T12:00:00.000Z"],
  ["2036-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
])("at %s, what was closed by %s is kept no longer", (now, start) => {
  expect(retentionStart(new Date(now)).toISOString()).toBe(start);
});
