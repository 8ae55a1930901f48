import { afterEach, expect, test, vi } from "vitest";
import { forgetTab, keepInTab, keptInTab } from "./tab-memory.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

test("what is kept is given back to its owner alone, until it is taken away or its person leaves", () => {
  expect(keepInTab("start", { owner: "u1", value: { title: "Bail" } })).toBe(true);
  expect(keptInTab("start", "u1")).toEqual({ title: "Bail" });
  expect(keptInTab("start", "u2")).toBeUndefined();
  keepInTab("start", { owner: "u1", value: null });
  expect(keptInTab("start", "u1")).toBeUndefined();
  keepInTab("start", { owner: "u1", value: 1 });
  sessionStorage.setItem("theirs", "x");
  forgetTab();
  expect([keptInTab("start", "u1"), sessionStorage.getItem("theirs")]).toEqual([undefined, "x"]);
});

test("a browser that forbids storage, and text that is not ours, cost nothing but the memory", () => {
  sessionStorage.setItem("paraphe.kept.start", "{");
  expect(keptInTab("start", "u1")).toBeUndefined();
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: refuse, setItem: refuse });
  expect(keepInTab("start", { owner: "u1", value: 1 })).toBe(false);
  expect(keptInTab("start", "u1")).toBeUndefined();
});
