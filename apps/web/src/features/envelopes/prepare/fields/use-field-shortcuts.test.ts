import { describe, expect, it } from "vitest";
import { readShortcut } from "./use-field-desk.ts";

const read = (
  key: string,
  more: Partial<Parameters<typeof readShortcut>[0]> = {},
  hasWords = false,
) =>
  readShortcut(
    { key, ctrlKey: true, metaKey: false, shiftKey: false, altKey: false, ...more },
    { hasWords },
  );

describe("the keys of the field step", () => {
  it("Ctrl + Z undoes, and both usual keys redo", () => {
    expect(read("z")).toBe("undo");
    expect(read("Z", { shiftKey: true })).toBe("redo");
    expect(read("y")).toBe("redo");
    expect(read("z", { ctrlKey: false, metaKey: true })).toBe("undo");
  });
  it("keys copy, cut, paste, select the page, disarm and show the help", () => {
    expect([read("c"), read("x"), read("v"), read("a")]).toEqual([
      "copy",
      "cut",
      "paste",
      "selectPage",
    ]);
    expect(read("?", { ctrlKey: false, shiftKey: true })).toBe("help");
    expect(read("Escape", { ctrlKey: false })).toBe("escape");
  });
  it("selected text and every other key are left to the browser", () => {
    expect([read("c", {}, true), read("x", {}, true)]).toEqual([null, null]);
    expect([
      read("c", { ctrlKey: false }),
      read("z", { altKey: true }),
      read("p"),
      read("a", { shiftKey: true }),
    ]).toEqual([null, null, null, null]);
  });
});
