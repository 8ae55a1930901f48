import { expect, test } from "vitest";
import { formatDeadlineDistance, formatDueDate } from "./format-dates.ts";

const NOW = new Date("2026-11-21T11:38:00Z");

test("says how far a deadline is", () => {
  expect(formatDeadlineDistance("2026-12-05T22:59:59Z", NOW)).toBe("dans 14 jours");
  expect(formatDeadlineDistance("2026-11-22T22:59:59Z", NOW)).toBe("demain");
  expect(formatDeadlineDistance("2026-11-21T22:59:59Z", NOW)).toBe("aujourd’hui");
  expect(formatDeadlineDistance("2026-11-20T22:59:59Z", NOW)).toBe("dépassée");
});

/** The last second of a day in Paris. */
const DEADLINE = "2026-12-01T22:59:59Z";

test("says what is to be done by which day, that day included", () => {
  expect(formatDueDate("signer", DEADLINE)).toBe("à signer au plus tard le 1er\u00a0décembre 2026");
  expect(formatDueDate("approver", DEADLINE)).toBe(
    "à approuver au plus tard le 1er\u00a0décembre 2026",
  );
});

test("says nothing without a request or a deadline", () => {
  expect([formatDueDate("viewer", DEADLINE), formatDueDate("signer", null)]).toEqual([null, null]);
});
