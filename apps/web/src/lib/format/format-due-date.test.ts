import { expect, it } from "vitest";
import { formatDueDate } from "./format-due-date.ts";

/** The last second of a day in Paris. */
const DEADLINE = "2026-12-01T22:59:59Z";

it("says what is to be done by which day, that day included", () => {
  expect(formatDueDate("signer", DEADLINE)).toBe("à signer au plus tard le 1er\u00a0décembre 2026");
  expect(formatDueDate("approver", DEADLINE)).toBe(
    "à approuver au plus tard le 1er\u00a0décembre 2026",
  );
});

it("says nothing without a request or a deadline", () => {
  expect([formatDueDate("viewer", DEADLINE), formatDueDate("signer", null)]).toEqual([null, null]);
});
