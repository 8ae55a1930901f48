import { middleInSight } from "./middle-in-sight.ts";
import { pageAtHeight, type PageColumn, type PageLayout } from "./page-layout.ts";

/** What was looked at: the point in the middle of the window, how far from it one saw, in fractions of the page, and whether it was the very top. */
export type Looked = {
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly reach: number;
  readonly isTop: boolean;
};
type Scrolled = Pick<HTMLElement, "scrollLeft" | "scrollTop" | "clientWidth" | "clientHeight">;
type Stack = Pick<HTMLElement, "offsetLeft" | "offsetTop">;

/** Gives what is looked at, from where the pages stand in their column: the one that was gone to at once may not be drawn yet. Null where there is none. */
export function lookedAt(
  { scrollLeft, scrollTop, clientWidth, clientHeight }: Scrolled,
  stack: Stack | null,
  { layouts, column }: { readonly layouts: readonly PageLayout[]; readonly column: PageColumn },
): Looked | null {
  if (!stack) return null;
  const [left, top] = [scrollLeft - stack.offsetLeft, scrollTop - stack.offsetTop];
  const middle = top + clientHeight / 2;
  const pageNumber = pageAtHeight(column.tops, middle);
  const layout = layouts[pageNumber - 1];
  if (!layout) return null;
  const start = { left: column.lefts[pageNumber - 1] ?? 0, top: column.tops[pageNumber - 1] ?? 0 };
  const page = { ...start, right: start.left + layout.widthPx, bottom: start.top + layout.heightPx };
  return {
    pageNumber,
    x: middleInSight(page, { left, top, right: left + clientWidth, bottom: top + clientHeight }).x,
    y: (middle - page.top) / layout.heightPx,
    reach: clientHeight / 2 / layout.heightPx,
    isTop: scrollTop < 1,
  };
}
