import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxInPage, frameOf, moveTogether } from "../box.ts";
import { arrangeBoxes, snapBox, snapResized } from "./arrange-boxes.ts";

const a = { x: 0.1, y: 0.1, width: 0.2, height: 0.05 };
const b = { x: 0.3, y: 0.4, width: 0.1, height: 0.1 };
const c = { x: 0.7, y: 0.5, width: 0.2, height: 0.05 };

describe("several boxes", () => {
  it("are aligned on each edge and middle of the frame around them", () => {
    expect(arrangeBoxes([a, b, c], "left").map(({ x }) => x)).toEqual([0.1, 0.1, 0.1]);
    expect(arrangeBoxes([a, b, c], "center").map(({ x, width }) => x + width / 2)).toEqual([
      0.5, 0.5, 0.5,
    ]);
    expect(arrangeBoxes([a, b, c], "right").map(({ x, width }) => +(x + width).toFixed(5))).toEqual(
      [0.9, 0.9, 0.9],
    );
    expect(arrangeBoxes([a, b, c], "top").map(({ y }) => y)).toEqual([0.1, 0.1, 0.1]);
    expect(
      arrangeBoxes([a, b, c], "middle").map(({ y, height }) => +(y + height / 2).toFixed(5)),
    ).toEqual([0.325, 0.325, 0.325]);
    expect(
      arrangeBoxes([a, b, c], "bottom").map(({ y, height }) => +(y + height).toFixed(5)),
    ).toEqual([0.55, 0.55, 0.55]);
  });

  it("are spread with equal gaps between the outer ones, whatever their order", () => {
    const [third, first, second] = arrangeBoxes([c, a, b], "spread-x");
    expect([first?.x, second?.x, third?.x]).toEqual([0.1, 0.45, 0.7]);
    const down = arrangeBoxes([a, b, c], "spread-y");
    expect(down.map(({ y }) => +y.toFixed(5))).toEqual([0.1, 0.275, 0.5]);
    expect(arrangeBoxes([a, c], "spread-x")).toEqual([a, c]);
  });

  it("moved together keep their places among themselves, and none leaves the page", () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true });
    const boxes = fc.array(
      fc.record({ x: fraction, y: fraction, width: fraction, height: fraction }).map(boxInPage),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const delta = fc.record({
      dx: fc.double({ min: -2, max: 2, noNaN: true }),
      dy: fc.double({ min: -2, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(boxes, delta, (before, by) => {
        const after = moveTogether(before, by);
        const frame = frameOf(after);
        const first = { from: before[0], to: after[0] };
        const shift = {
          x: (first.to?.x ?? 0) - (first.from?.x ?? 0),
          y: (first.to?.y ?? 0) - (first.from?.y ?? 0),
        };
        const together = after.every(
          (box, index) =>
            Math.abs(box.x - (before[index]?.x ?? 0) - shift.x) < 3e-5 &&
            Math.abs(box.y - (before[index]?.y ?? 0) - shift.y) < 3e-5,
        );
        return (
          together &&
          frame.x >= 0 &&
          frame.y >= 0 &&
          frame.x + frame.width <= 1.0001 &&
          frame.y + frame.height <= 1.0001
        );
      }),
    );
  });
});

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
    // The left edge is nearer to a line, but the handle does not pull it.
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
