import { expect, test } from "vitest";
import { formatValidity } from "./format-validity.ts";

test("a certificate of one act is valid at that act, a lasting one by its dates", () => {
  const [from, next] = ["2026-11-21T14:00:00.000Z", "2026-11-22T14:00:00.000Z"];
  expect(formatValidity({ valid_from: from, valid_to: next }, "2026-11-21T14:16:04.000Z")).toBe(
    "a servi une seule fois, le 21\u00a0novembre 2026. Sa validité se juge à cet instant (du 21\u00a0nov. 2026 au 22\u00a0nov. 2026).",
  );
  expect(formatValidity({ valid_from: from, valid_to: next }, undefined)).toMatch(
    /^a servi une seule fois\. Sa validité/,
  );
  expect(formatValidity({ valid_from: from, valid_to: "2028-11-21T14:00:00.000Z" }, from)).toBe(
    "est valable du 21\u00a0nov. 2026 au 21\u00a0nov. 2028.",
  );
});
