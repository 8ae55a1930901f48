/** A signed file that may be shown. */
export type SignedFile = { readonly name: string; readonly address: string };
