import { expect, test } from "vitest";
import { formatAge } from "./format-age.ts";

const NOW = new Date("2026-11-21T11:38:00Z");

test("says how old a change is", () => {
  expect(formatAge("2026-11-21T11:37:40Z", NOW)).toBe("à l’instant");
  expect(formatAge("2026-11-21T09:38:00Z", NOW)).toBe("il y a 2 h");
  expect(formatAge("2026-11-20T09:38:00Z", NOW)).toBe("hier");
  expect(formatAge("2026-11-10T09:38:00Z", NOW)).toBe("le 10 nov.");
  expect(formatAge("2025-11-10T09:38:00Z", NOW)).toBe("le 10 nov. 2025");
});
