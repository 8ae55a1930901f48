import { describe, expect, it } from "vitest";
import { readFieldKey } from "./field-keys.ts";

const key = (name: string, more: Partial<Parameters<typeof readFieldKey>[0]> = {}) =>
  readFieldKey({
    key: name,
    shiftKey: false,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    ...more,
  });

describe("the keys of a selected field", () => {
  it("move it by a point with the arrows, by five with Shift", () => {
    expect(key("ArrowRight")).toEqual({ kind: "move", by: { dx: 1, dy: 0 } });
    expect(key("ArrowUp")).toEqual({ kind: "move", by: { dx: 0, dy: -1 } });
    expect(key("ArrowDown", { shiftKey: true })).toEqual({ kind: "move", by: { dx: 0, dy: 5 } });
  });
  it("resize it with Alt, by five points with Shift too", () => {
    expect(key("ArrowRight", { altKey: true })).toEqual({ kind: "resize", by: { dx: 1, dy: 0 } });
    expect(key("ArrowDown", { altKey: true, shiftKey: true })).toEqual({
      kind: "resize",
      by: { dx: 0, dy: 5 },
    });
  });
  it("delete, duplicate, deselect, and take into the selection", () => {
    expect(key("Delete")).toEqual({ kind: "delete" });
    expect(key("d", { ctrlKey: true })).toEqual({ kind: "duplicate" });
    expect(key("D", { metaKey: true })).toEqual({ kind: "duplicate" });
    expect(key("Escape")).toEqual({ kind: "deselect" });
    expect(key(" ", { shiftKey: true })).toEqual({ kind: "toggle" });
  });
  it("leave every other key to the browser", () => {
    expect(key("Tab")).toBeNull();
    expect(key("d")).toBeNull();
    expect(key(" ")).toBeNull();
    expect(key("ArrowLeft", { ctrlKey: true })).toBeNull();
  });
});
