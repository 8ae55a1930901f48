import { describe, expect, it } from "vitest";
import { layoutPages, stackPages } from "./page-layout.ts";
import { lookedAt, middleInSight } from "./use-scrolled-pages.ts";

const A4 = { width: 595, height: 842 };
/** Pages of 390 by 552, 20 apart. */
const layouts = layoutPages(
  Array.from({ length: 200 }, () => A4),
  { roomPx: 390, zoom: 1 },
);
const pages = { layouts, column: stackPages(layouts) };
const STACK = { offsetLeft: 0, offsetTop: 12 };
const at = (scrollTop: number) =>
  lookedAt({ scrollLeft: 0, scrollTop, clientWidth: 390, clientHeight: 552 }, STACK, pages);

it("is the middle of the window, on any page, drawn or not", () => {
  expect(at(0)).toMatchObject({ pageNumber: 1, x: 0.5, isTop: true });
  expect(at(12 + 149 * 572)).toEqual({ pageNumber: 150, x: 0.5, y: 0.5, reach: 0.5, isTop: false });
});

it("is of the page above where the middle is between two pages", () => {
  expect(at(12 + 149 * 572 + 286)).toMatchObject({ pageNumber: 150, y: expect.closeTo(1.018, 3) });
});

it("is nothing where there are no pages", () => {
  expect(
    lookedAt({ scrollLeft: 0, scrollTop: 0, clientWidth: 390, clientHeight: 552 }, STACK, {
      layouts: [],
      column: stackPages([]),
    }),
  ).toBeNull();
});

const window = { left: 0, top: 100, right: 800, bottom: 700 };

describe("the middle of what is seen of a page", () => {
  it("is the page's own middle when the whole page is in sight", () => {
    expect(middleInSight({ left: 200, top: 200, right: 600, bottom: 600 }, window)).toEqual({
      x: 0.5,
      y: 0.5,
    });
  });
  it("stays in the window when the page is taller or wider than it", () => {
    // Seen: 100 to 700 of a page from -300 to 900.
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
