/** Page number from 1. */
export const PAGE_ATTRIBUTE = "data-pdf-page";

/** Fractions of the page, and its size on the screen. */
export type PagePoint = {
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly widthPx: number;
  readonly heightPx: number;
};

/** Null outside any page. */
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
