import { beforeEach, expect, test, vi } from "vitest";
import {
  chooseSigningPreferences,
  onSigningPreferences,
  readSigningPreferences,
} from "./signing-preferences.ts";

beforeEach(() => localStorage.clear());

test("a choice is stored on this device, announced, and read as the same object until the next", () => {
  const told = vi.fn();
  const stop = onSigningPreferences(told);
  expect(readSigningPreferences()).toEqual({
    place: "free",
    method: "last",
    hand: "caveat",
    print: "page",
    date: false,
    proofOnly: false,
  });
  chooseSigningPreferences({ place: "bas-droite" });
  chooseSigningPreferences({ hand: "herr-von-muellerhoff" });
  const chosen = readSigningPreferences();
  expect(chosen).toEqual({
    place: "bas-droite",
    method: "last",
    hand: "herr-von-muellerhoff",
    print: "page",
    date: false,
    proofOnly: false,
  });
  expect([readSigningPreferences() === chosen, told.mock.calls.length]).toEqual([true, 2]);
  stop();
  // Another tab's choice.
  localStorage.setItem("paraphe.signing", JSON.stringify({ ...chosen, method: "type" }));
  expect([readSigningPreferences().method, told.mock.calls.length]).toEqual(["type", 2]);
});

test.each([
  "{",
  "null",
  "3",
  '{"place":"partout","method":"last","hand":"comic"}',
  '{"place":"bas-droite ","method":7,"print":"poster"}',
])("what is no choice is none: %s", (stored) => {
  localStorage.setItem("paraphe.signing", stored);
  expect(readSigningPreferences()).toEqual({
    place: "free",
    method: "last",
    hand: "caveat",
    print: "page",
    date: false,
    proofOnly: false,
  });
});
