import { expect, test } from "vitest";
import { checkUsername } from "./check-username.ts";

test.each([
  "zoe",
  "Éloïse.Lefèvre",
  "françois-müller",
  "Œuvrard_2",
  "maelys+2",
  "Ÿvonne",
  "Michał",
  "Jørgen",
  "Đặng",
  "șerban",
  "a",
  "2026",
])("accepts %j", (name) => {
  expect(checkUsername(name)).toBeNull();
});

test.each([
  ["раураl", "Cyrillic letters that pass for Latin ones"],
  ["pаul", "one Cyrillic letter among Latin ones"],
  ["οmar", "a Greek omicron"],
  ["mıke", "a dotless i"],
  ["ɑdmin", "a Latin alpha"],
  ["zoe@exemple.fr", "an e-mail address"],
  ["zoe\u200bmartin", "an invisible character"],
  ["zoe’s", "an apostrophe"],
  ["zoe martin", "a space"],
  ["zoe\u00a0martin", "a no-break space"],
  [".zoe", "a mark at the start"],
  ["zoe-", "a mark at the end"],
  ["<zoe>", "angle brackets"],
])("refuses %j: %s", (name) => {
  expect(checkUsername(name)).not.toBeNull();
});
