import { expect, test } from "vitest";
import { emailKey, usernameKey } from "./text-key.ts";

test.each([
  ["Camille.Roux@Exemple.FR", "camille.roux@exemple.fr"],
  [" zoe@exemple.fr ", "zoe@exemple.fr"],
  ["ｚｏｅ", "zoe"],
  ["\u212aevin", "kevin"],
  ["Éloïse", "éloïse"],
  ["e\u0301loi\u0308se", "éloïse"],
])("%j is compared as %j", (text, key) => {
  expect(usernameKey(text)).toBe(key);
  expect(emailKey(text)).toBe(key);
});

test("a key is its own key", () => {
  for (const text of ["İstanbul", "ŒUVRARD", "ﬁn", "Σίσυφος"]) expect(usernameKey(usernameKey(text))).toBe(usernameKey(text));
});
