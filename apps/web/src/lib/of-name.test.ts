import { expect, test } from "vitest";
import { ofName } from "./of-name.ts";

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
  ["李", "de 李"],
])("%s gives « %s »", (name, words) => {
  expect(ofName(name)).toBe(words);
});
