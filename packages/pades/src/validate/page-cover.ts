/**
 * New fields (`added`) and existing ones (`filled`) that changed after a signature.
 * Units: parts of the page; overlaps count twice.
 */
export type PageCover = { readonly added: number; readonly filled: number };

/** By page number, from 1. */
export type CoveredPage = PageCover & { readonly pageNumber: number };

/** `half`: new places exceed half the page; `most`: new and existing ones exceed seven tenths. */
export type CoverExcess = "half" | "most";

const MOST_ADDED = 0.5;
/** Forms have their words between the fields. */
const MOST_SHOWN = 0.7;

/**
 * Later places stand between the reader and what was signed. Further signers need at most half;
 * places that the signer saw may come to more. `margin`: a planner's reserve for rounding.
 */
export function coverExcess({ added, filled }: PageCover, margin = 0): CoverExcess | null {
  if (added > MOST_ADDED - margin) return "half";
  return added + filled > MOST_SHOWN - margin ? "most" : null;
}
