import { PAGER_WINDOW } from "@paraphe/contracts";

/** Gives the window of page numbers that holds `page`: 1–5, 6–10, 11–15… and whether there is a window before and after. */
export function pageWindow(page: number, pageCount: number) {
  const first = Math.floor((page - 1) / PAGER_WINDOW) * PAGER_WINDOW + 1;
  const last = Math.min(first + PAGER_WINDOW - 1, pageCount);
  const pages = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return { pages, previous: first > 1 ? first - 1 : undefined, next: last < pageCount ? last + 1 : undefined };
}
