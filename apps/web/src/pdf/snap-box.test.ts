import { describe, expect, it } from "vitest";
import { snapBox, snapResized } from "./arrange-boxes.ts";

const box = { x: 0.3, y: 0.3, width: 0.17, height: 0.05 };

describe("snapping", () => {
  it("catches an edge within 0.6 % of another field's edge and shows the line", () => {
    const { box: snapped, guides } = snapBox({ ...box, x: 0.304 }, [
      { x: 0.3, y: 0.7, width: 0.1, height: 0.1 },
    ]);
    expect(snapped.x).toBe(0.3);
    expect(guides).toContainEqual({ axis: "x", at: 0.3 });
  });

  it("leaves a box alone that is further away", () => {
    expect(snapBox({ ...box, x: 0.32 }, [{ x: 0.2, y: 0.7, width: 0.1, height: 0.1 }])).toEqual({
      box: { ...box, x: 0.32 },
      guides: [],
    });
  });

  it("catches the margin and the middle of the page", () => {
    expect(snapBox({ ...box, x: 0.098 }, []).box.x).toBe(0.095);
    expect(snapBox({ ...box, x: 0.417 }, []).box.x).toBe(0.415);
  });

  it("chooses the nearest of two lines", () => {
    const others = [
      { x: 0.301, y: 0.7, width: 0.31, height: 0.1 },
      { x: 0.298, y: 0.8, width: 0.42, height: 0.1 },
    ];
    expect(snapBox({ ...box, x: 0.3005 }, others).box.x).toBe(0.301);
  });

  it("catches only the edge that a handle pulls, the opposite one stays", () => {
    const other = { x: 0.6, y: 0.8, width: 0.1, height: 0.1 };
    const { box: pulled, guides } = snapResized({ ...box, width: 0.297 }, "e", [other]);
    expect([pulled.x, pulled.width]).toEqual([0.3, 0.3]);
    expect(guides).toEqual([{ axis: "x", at: 0.6 }]);
    // The left edge is as near to a line as can be, but it is not the one that is pulled.
    expect(snapResized({ ...box, x: 0.604 }, "s", [other]).box.x).toBe(0.604);
  });

  it("never makes a field smaller than the smallest to catch a line", () => {
    const small = { x: 0.498, y: 0.3, width: 0.04, height: 0.02 };
    expect(snapResized(small, "e", [{ x: 0.534, y: 0.8, width: 0.1, height: 0.1 }])).toEqual({
      box: small,
      guides: [],
    });
  });
});
