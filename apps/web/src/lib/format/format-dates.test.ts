import { expect, test } from "vitest";
import { formatDeadlineDistance } from "./format-dates.ts";

const NOW = new Date("2026-11-21T11:38:00Z");

test("says how far a deadline is", () => {
  expect(formatDeadlineDistance("2026-12-05T22:59:59Z", NOW)).toBe("dans 14 jours");
  expect(formatDeadlineDistance("2026-11-22T22:59:59Z", NOW)).toBe("demain");
  expect(formatDeadlineDistance("2026-11-21T22:59:59Z", NOW)).toBe("aujourd’hui");
  expect(formatDeadlineDistance("2026-11-20T22:59:59Z", NOW)).toBe("dépassée");
});
