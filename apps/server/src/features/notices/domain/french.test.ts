import { expect, test } from "vitest";
import { french, groupedCode, shortTitle } from "./french.ts";

test("typesets its own words and leaves the author's alone", () => {
  const title = "Bail : l'annexe !";
  expect(french`Avez-vous lu « ${title} » ; oui ? L'échéance : demain !`).toBe(
    `Avez-vous lu «\u00a0${title}\u00a0»\u202f; oui\u202f? L’échéance\u00a0: demain\u202f!`,
  );
});

test("groups the digits of a code", () => {
  expect(groupedCode("048291")).toBe("048\u202f291");
});

test("cuts a long title between characters, not within one", () => {
  expect(shortTitle("Bail")).toBe("Bail");
  expect(shortTitle("🙂".repeat(81))).toBe(`${"🙂".repeat(79)}…`);
});
