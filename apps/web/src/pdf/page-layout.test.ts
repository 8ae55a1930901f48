import { describe, expect, it } from "vitest";
import {
  canvasRatio,
  fitWidthZoom,
  layoutPages,
  nextZoom,
  pagesInSight,
  stackPages,
  standingPages,
  zoomWithin,
} from "./page-layout.ts";

const A4 = { width: 595, height: 842 };

describe("the layout of pages", () => {
  it("fits a page to a phone's width at 100 %", () => {
    expect(layoutPages([A4], { roomPx: 366, zoom: 1 })[0]).toMatchObject({
      widthPx: 366,
      heightPx: 518,
    });
  });
  it("stops at a comfortable width on a wide screen", () => {
    expect(layoutPages([A4], { roomPx: 1_400, zoom: 1 })[0]?.widthPx).toBe(820);
  });
  it("shrinks a sideways page to the width of the first, and keeps the proportion of a narrow one", () => {
    const [, wide, narrow] = layoutPages(
      [A4, { width: 842, height: 595 }, { width: 297.5, height: 421 }],
      { roomPx: 800, zoom: 1 },
    );
    expect(wide?.widthPx).toBe(800);
    expect(narrow?.widthPx).toBe(400);
  });
  it("keeps the zoom between 50 % and 300 %, by steps", () => {
    expect([zoomWithin(0.1), zoomWithin(9)]).toEqual([0.5, 3]);
    expect([
      nextZoom(1, "in"),
      nextZoom(1, "out"),
      nextZoom(3, "in"),
      nextZoom(0.5, "out"),
    ]).toEqual([1.25, 0.75, 3, 0.5]);
    expect(fitWidthZoom(1_640)).toBe(2);
  });
  it("draws at the screen's own ratio, at most 3, and within what a canvas may hold", () => {
    const layout = { widthPx: 800, heightPx: 1_132, scale: 1.34 };
    expect(canvasRatio(layout, 2)).toBe(2);
    expect(canvasRatio(layout, 4)).toBe(3);
    const big = canvasRatio({ widthPx: 2_460, heightPx: 3_480, scale: 4 }, 3);
    expect(big * big * 2_460 * 3_480).toBeLessThanOrEqual(16_000_001);
  });

  it("stacks the pages, each in the middle of the column", () => {
    const column = stackPages([
      { widthPx: 800, heightPx: 1_000, scale: 1 },
      { widthPx: 400, heightPx: 500, scale: 1 },
    ]);
    expect(column).toEqual({ tops: [0, 1_020], lefts: [0, 200], widthPx: 800, heightPx: 1_520 });
    expect(stackPages([])).toMatchObject({ widthPx: 0, heightPx: 0 });
  });
});

describe("a document of 300 pages", () => {
  const column = stackPages(
    Array.from({ length: 300 }, () => ({ widthPx: 800, heightPx: 1_000, scale: 1 })),
  );

  it("has in sight the pages of the window and one more on each side", () => {
    expect(pagesInSight(column, { top: -24, bottom: 700 })).toEqual({
      current: 1,
      first: 1,
      last: 2,
    });
    expect(pagesInSight(column, { top: 150 * 1_020 + 900, bottom: 151 * 1_020 + 600 })).toEqual({
      current: 152,
      first: 150,
      last: 153,
    });
    expect(pagesInSight(column, { top: 299 * 1_020, bottom: 299 * 1_020 + 700 })).toEqual({
      current: 300,
      first: 299,
      last: 300,
    });
  });

  it("keeps only pages near the window or next in the order of the Tab key", () => {
    const everyPage = Array.from({ length: 300 }, (_, index) => index + 1);
    expect(standingPages({ first: 149, last: 152 }, { count: 300, filled: [] })).toEqual([
      149, 150, 151, 152,
    ]);
    expect(standingPages({ first: 149, last: 152 }, { count: 300, filled: everyPage })).toEqual([
      1, 148, 149, 150, 151, 152, 153, 300,
    ]);
    expect(
      standingPages({ first: 149, last: 152 }, { count: 300, filled: [150, 7, 290, 60] }),
    ).toEqual([7, 60, 149, 150, 151, 152, 290]);
    expect(standingPages({ first: 1, last: 2 }, { count: 300, filled: "all" })).toHaveLength(300);
  });
});
