import { failure, problem, type Result, success } from "@paraphe/contracts";

/** Fractions of the page as it is displayed, origin top left. */
export type OwnPlace = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
/** Where a person signs a document of their own: one place, on the pages that the rule names. `page` from 1; −1 is the last. */
export type OwnPlacement = OwnPlace & { readonly page: number | "all" };

/**
 * Gives the pages that a placement means in a document of so many pages, each with its place.
 * Errors: `validation` for a page that the document does not have.
 */
export function ownPlaces({ page, ...place }: OwnPlacement, pageCount: number): Result<readonly (OwnPlace & { readonly page: number })[]> {
  if (page === "all") return success(Array.from({ length: pageCount }, (_, index) => ({ ...place, page: index + 1 })));
  const number = page === -1 ? pageCount : page;
  if (number >= 1 && number <= pageCount) return success([{ ...place, page: number }]);
  const message = `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`;
  return failure(problem("validation", { errors: { placement: [message] } }));
}
