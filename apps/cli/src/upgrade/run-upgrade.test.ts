import { expect, test } from "vitest";
import { describeUpgrade } from "./run-upgrade.ts";

const saidOf = (ran: readonly string[], waiting: readonly string[]) =>
  describeUpgrade(ran, { waiting, newer: [], refusing: null }).lines.join("\n");

test("names the migrations that a start would run, and says that the previous version still works", () => {
  expect(saidOf(["0001-baseline"], ["0002-notes"])).toMatch(
    /migrera cette base au démarrage\u00a0: 0002-notes\.\n.*l’on peut revenir/,
  );
});

test("asks for a backup where the previous version would not work any more", () => {
  expect(saidOf(["0001-baseline"], ["0002-notes", "0003-drop-old-title-after-0002"])).toMatch(
    /ne saura plus y travailler \(0003-drop-old-title-after-0002\)\u00a0: faites une sauvegarde/,
  );
});

test("says that an empty database gets its tables", () => {
  expect(saidOf([], ["0001-baseline"])).toContain("démarrera sur une base vide");
});
