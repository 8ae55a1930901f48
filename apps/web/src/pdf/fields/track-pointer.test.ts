import { describe, expect, it } from "vitest";
import { scrollStep } from "./track-pointer.ts";

const room = { top: 100, bottom: 700 };

describe("the pages under a pointer that drags", () => {
  it("stay in the middle of the window", () => {
    expect([scrollStep(160, room), scrollStep(400, room), scrollStep(640, room)]).toEqual([
      0, 0, 0,
    ]);
  });
  it("go up near the top and down near the bottom, faster the nearer, never faster than the fastest", () => {
    expect(scrollStep(120, room)).toBeLessThan(scrollStep(150, room));
    expect(scrollStep(680, room)).toBeGreaterThan(scrollStep(650, room));
    expect([scrollStep(0, room), scrollStep(9_000, room)]).toEqual([-18, 18]);
  });
});
