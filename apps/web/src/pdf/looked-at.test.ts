import { expect, it } from "vitest";
import { lookedAt } from "./use-scrolled-pages.ts";
import { layoutPages, stackPages } from "./page-layout.ts";

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
