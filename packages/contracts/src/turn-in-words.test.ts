import { expect, test } from "vitest";
import { turnInWords, whenInWords } from "./french-words.ts";

test("who waits for their turn is told whose signature comes before, and when they hear of it or come back", () => {
  const before = { count: 1, names: ["Paul Martin"] };
  expect(turnInWords(before, true)).toBe(
    "Ce n’est pas encore votre tour. Vous recevrez un message après la signature de Paul Martin.",
  );
  expect(turnInWords(before, false)).toBe(
    "Ce n’est pas encore votre tour. Revenez sur cette page après la signature de Paul Martin.",
  );
});

test.each<[number, string[], string]>([
  [1, ["Anne Roux"], "après la signature d’Anne Roux"],
  [2, ["Anne Roux", "Paul Martin"], "après les signatures d’Anne Roux et de Paul Martin"],
  [3, ["Anne", "Paul", "Élodie"], "après les signatures d’Anne, de Paul et d’Élodie"],
  [4, ["A", "B", "C", "D"], "après les signatures des 4\u00a0personnes qui vous précèdent"],
  [1, [], "après la signature de la personne qui vous précède"],
  [2, [], "après les signatures des 2\u00a0personnes qui vous précèdent"],
  [0, [], "le moment venu"],
])("%i before, named %j: « %s »", (count, names, words) => {
  expect(whenInWords({ count, names })).toBe(words);
});
