import { expect, it } from "vitest";
import { formatDueDate } from "./format-due-date.ts";

/** The last second of a day in Paris. */
const DEADLINE = "2026-12-01T22:59:59Z";

it("says the last day, which counts, and what is to be done by then", () => {
  expect(formatDueDate("signer", DEADLINE)).toBe("à signer au plus tard le 1er\u00a0décembre 2026");
  expect(formatDueDate("approver", DEADLINE)).toBe(
    "à approuver au plus tard le 1er\u00a0décembre 2026",
  );
});

it("says nothing where nothing is asked, or without end", () => {
  expect([formatDueDate("viewer", DEADLINE), formatDueDate("signer", null)]).toEqual([null, null]);
});
