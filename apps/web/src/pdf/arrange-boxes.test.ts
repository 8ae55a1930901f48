import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrangeBoxes } from "./arrange-boxes.ts";
import { boxInPage, frameOf, moveTogether } from "./box.ts";

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

  it("are spread with equal rooms between them, the outer ones staying, whatever the order they come in", () => {
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
