import { useState } from "react";

/** Where what narrows a list is kept, as an address keeps it: the page's own (`useSearchParams`), or a list's in a dialog. */
export type QueryPlace = readonly [
  query: URLSearchParams,
  change: (next: (current: URLSearchParams) => URLSearchParams, options?: { readonly replace: boolean }) => void,
];

/** The place of a list that stands over a page: it begins whole each time, and leaves the page's address alone. */
export function useOwnQuery(): QueryPlace {
  return useState(() => new URLSearchParams());
}
