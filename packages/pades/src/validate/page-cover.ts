/**
 * What of a page stands under places that show something new after a signature: of fields that came after it, and of fields that were there
 * to be filled. Units: parts of the page; places that overlap count twice.
 */
export type PageCover = { readonly added: number; readonly filled: number };

/** The same, of a page by its number, from 1. */
export type CoveredPage = PageCover & { readonly pageNumber: number };

/** `half`: new places alone stand on more than half of the page; `most`: these and those that were there on more than seven tenths. */
export type CoverExcess = "half" | "most";

/** Of one page, by the places that are new after a signature. */
const MOST_ADDED = 0.5;
/** Of one page, by these and by the places that were there to be filled: a sheet of signatures, a form, has its words between them. */
const MOST_SHOWN = 0.7;

/**
 * Says whether what came after a signature stands on too much of a page; null when it does not. Further signers need no more than half, and
 * what covers the page stands between the reader and what was signed. Places that were there to be filled, in the sight of who signed, may
 * come to more: they are what forms and sheets of signatures consist of.
 * Shape: `margin` is what is kept free of the bound by who plans places, which are written rounded.
 */
export function coverExcess({ added, filled }: PageCover, margin = 0): CoverExcess | null {
  if (added > MOST_ADDED - margin) return "half";
  return added + filled > MOST_SHOWN - margin ? "most" : null;
}
