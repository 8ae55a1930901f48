import { UNSAVED_EDITS_DAYS } from "@paraphe/contracts";
import { afterEach, expect, test, vi } from "vitest";
import {
  forgetKept,
  forgetOverdue,
  storeInTab,
  storeOnDevice,
  keptInTab,
  keptOnDevice,
  namesOnDevice,
} from "./tab-memory.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  sessionStorage.clear();
  localStorage.clear();
});

test("a stored value is read by its owner alone, until it is removed or the person leaves", () => {
  expect(storeInTab("start", { owner: "u1", value: { title: "Bail" } })).toBe(true);
  expect(keptInTab("start", "u1")).toEqual({ title: "Bail" });
  expect(keptInTab("start", "u2")).toBeUndefined();
  storeInTab("start", { owner: "u1", value: null });
  expect(keptInTab("start", "u1")).toBeUndefined();
  storeInTab("start", { owner: "u1", value: 1 });
  sessionStorage.setItem("theirs", "x");
  forgetKept();
  expect([keptInTab("start", "u1"), sessionStorage.getItem("theirs")]).toEqual([undefined, "x"]);
});

test("a value on the device outlives the tab, for its owner alone, until the person leaves", () => {
  expect(storeOnDevice("edits", { owner: "u1", value: 2 })).toBe(true);
  sessionStorage.clear();
  expect([
    keptOnDevice("edits", "u1"),
    keptOnDevice("edits", "u2"),
    keptInTab("edits", "u1"),
  ]).toEqual([2, undefined, undefined]);
  localStorage.setItem("theirs", "x");
  forgetKept();
  expect([keptOnDevice("edits", "u1"), localStorage.getItem("theirs")]).toEqual([undefined, "x"]);
});

test("refused storage or another program's text loses only the stored value", () => {
  sessionStorage.setItem("paraphe.kept.start", "{");
  expect(keptInTab("start", "u1")).toBeUndefined();
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: refuse, setItem: refuse });
  expect(storeInTab("start", { owner: "u1", value: 1 })).toBe(false);
  expect(keptInTab("start", "u1")).toBeUndefined();
});

test("a value on the device is read for thirty days, then removed, whoever owned it", () => {
  vi.useFakeTimers({ now: new Date("2026-11-01T08:00:00Z") });
  storeOnDevice("edits.one", { owner: "u1", value: 1 });
  vi.setSystemTime(new Date("2026-11-20T08:00:00Z"));
  storeOnDevice("edits.two", { owner: "u1", value: 2 });
  storeOnDevice("edits.theirs", { owner: "u2", value: 3 });
  expect(namesOnDevice("edits.", "u1")).toEqual(["edits.two", "edits.one"]);
  vi.setSystemTime(new Date(Date.parse("2026-11-01T07:59:59Z") + UNSAVED_EDITS_DAYS * 86_400_000));
  expect(keptOnDevice("edits.one", "u1")).toBe(1);
  vi.setSystemTime(new Date(Date.parse("2026-11-01T08:00:00Z") + UNSAVED_EDITS_DAYS * 86_400_000));
  expect([keptOnDevice("edits.one", "u1"), namesOnDevice("edits.", "u1")]).toEqual([
    undefined,
    ["edits.two"],
  ]);
  localStorage.setItem("theirs", "x");
  localStorage.setItem("paraphe.kept.edits.broken", "{");
  forgetOverdue();
  expect(Object.keys(localStorage).toSorted()).toEqual([
    "paraphe.kept.edits.theirs",
    "paraphe.kept.edits.two",
    "theirs",
  ]);
});
