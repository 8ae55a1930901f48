import { expect, test } from "vitest";
import { andList, capitalised, foldText, ofName, orList, uncapitalised } from "./french-words.ts";

test.each([
  ["Anne", "d’Anne"],
  ["Élodie Martin", "d’Élodie Martin"],
  ["Œdipe", "d’Œdipe"],
  ["îlona", "d’îlona"],
  ["Yves", "d’Yves"],
  ["Yann", "de Yann"],
  ["Paul", "de Paul"],
  ["Zoë Œuvrard", "de Zoë Œuvrard"],
  ["Hugo", "de Hugo"],
  ["Hélène Guérin", "d’Hélène Guérin"],
  ["Henri Hubert", "d’Henri Hubert"],
  ["Hamza", "de Hamza"],
  ["Aïcha Roy", "d’Aïcha Roy"],
  ["administrateur", "d’administrateur"],
  ["李", "de 李"],
])("writes %s as « %s »", (name, words) => {
  expect(ofName(name)).toBe(words);
});

test("folds case and accents for a search", () => {
  expect(foldText(" Reçu\u00a0de  l’ŒUVRE ")).toBe("recu de l'oeuvre");
});

test("capitalises a sentence, and uncapitalises it after a colon", () => {
  expect([capitalised("écrit"), uncapitalised("Écrit")]).toEqual(["Écrit", "écrit"]);
  expect([capitalised(""), uncapitalised("")]).toEqual(["", ""]);
});

test("lists names with « et » or « ou »", () => {
  expect(andList(["Anne", "Paul", "Yves"])).toBe("Anne, Paul et Yves");
  expect(orList(["Anne", "Paul"])).toBe("Anne ou Paul");
});
