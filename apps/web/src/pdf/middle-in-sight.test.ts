import { describe, expect, it } from "vitest";
import { middleInSight } from "./middle-in-sight.ts";

const window = { left: 0, top: 100, right: 800, bottom: 700 };

describe("the middle of what is seen of a page", () => {
  it("is the page's own middle when the whole page is in sight", () => {
    expect(middleInSight({ left: 200, top: 200, right: 600, bottom: 600 }, window)).toEqual({
      x: 0.5,
      y: 0.5,
    });
  });
  it("stays in the window when the page is taller or wider than it", () => {
    // Seen: from 100 to 700 of a page that goes from -300 to 900.
    expect(middleInSight({ left: -200, top: -300, right: 1000, bottom: 900 }, window)).toEqual({
      x: 0.5,
      y: 700 / 1200,
    });
  });
  it("is that of the seen half when the page leaves the window", () => {
    expect(middleInSight({ left: 0, top: -500, right: 800, bottom: 500 }, window).y).toBe(0.8);
  });
  it("is the page's own middle when none of it is in sight", () => {
    expect(middleInSight({ left: 0, top: 900, right: 800, bottom: 1900 }, window)).toEqual({
      x: 0.5,
      y: 0.5,
    });
  });
});
