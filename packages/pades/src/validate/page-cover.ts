/**
 * The part of a page under places that changed after a signature: new fields (`added`), and
 * existing ones (`filled`).
 * Units: parts of the page; overlaps count twice.
 */
export type PageCover = { readonly added: number; readonly filled: number };

/** The same for a page number, from 1. */
export type CoveredPage = PageCover & { readonly pageNumber: number };

/** `half`: new places exceed half the page; `most`: new and existing ones exceed seven tenths. */
export type CoverExcess = "half" | "most";

const MOST_ADDED = 0.5;
/** A form or a sheet of signatures has its words between the fields. */
const MOST_SHOWN = 0.7;

/**
 * Whether later places cover too much of a page, or null: they stand between the reader and what
 * was signed. Further signers need at most half; places that the signer saw may come to more, as in
 * forms.
 * Shape: `margin`: reserve of a planner, whose places are rounded.
 */
export function coverExcess({ added, filled }: PageCover, margin = 0): CoverExcess | null {
  if (added > MOST_ADDED - margin) return "half";
  return added + filled > MOST_SHOWN - margin ? "most" : null;
}
