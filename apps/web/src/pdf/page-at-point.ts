/** The attribute that marks a page's element, its value the page number from 1. */
export const PAGE_ATTRIBUTE = "data-pdf-page";

/** A point of a page, in fractions of it, and the page's size on the screen. */
export type PagePoint = {
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly widthPx: number;
  readonly heightPx: number;
};

/** Gives the page under a point of the window, with the point in fractions of that page; null outside any page. */
export function pageAtPoint(clientX: number, clientY: number): PagePoint | null {
  const page = document
    .elementsFromPoint(clientX, clientY)
    .find((element) => element.matches(`[${PAGE_ATTRIBUTE}]`));
  if (!page) return null;
  const frame = page.getBoundingClientRect();
  return {
    pageNumber: Number(page.getAttribute(PAGE_ATTRIBUTE)),
    x: (clientX - frame.left) / frame.width,
    y: (clientY - frame.top) / frame.height,
    widthPx: frame.width,
    heightPx: frame.height,
  };
}
