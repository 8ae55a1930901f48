/** A signed file that may be shown. `hash`: SHA-256 in hexadecimal; null, as its pages, where the proof does not say. */
export type SignedFile = {
  readonly name: string;
  readonly address: string;
  readonly hash: string | null;
  readonly pageCount: number | null;
};

/** A page of a file, by its place among those shown; from 1. */
export type PagePlace = { readonly index: number; readonly page: number };
