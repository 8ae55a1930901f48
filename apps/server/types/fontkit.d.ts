/** The part of `fontkit` 2.0 that the service calls, for `pdfkit` to draw with. */
declare module "fontkit" {
  /** `_tables` is of its internals: what was decoded of the file so far. */
  export type Font = { _tables: Readonly<Record<string, unknown>> };
  export function create(bytes: Uint8Array): Font;
}
