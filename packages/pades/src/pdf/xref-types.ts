import type { PdfRef } from "@libpdf/core";
import type { RawDictionary } from "./read-dictionary.ts";

/** Where an object is: at an offset, in an object stream, or nowhere. */
export type XrefEntry =
  | { readonly kind: "plain"; readonly offset: number; readonly generation: number }
  | { readonly kind: "packed"; readonly stream: number; readonly index: number }
  | { readonly kind: "free" };

/** Every object of a file, all sections together, with the newest trailer. */
export type CrossReference = {
  readonly startXref: number;
  readonly style: "table" | "stream";
  readonly entries: ReadonlyMap<number, XrefEntry>;
  readonly trailer: RawDictionary;
  /** The objects that the trailers name. */
  readonly named: readonly PdfRef[];
  /**
   * Whether a section has an `XRefStm`, which some readers ignore.
   * Source: ISO 32000-2 §7.5.8.4 (XRefStm).
   */
  readonly isHybrid: boolean;
  /** Whether the parser reads the file itself the same way. */
  readonly isPlain: boolean;
};

/** Whether two entries lead to the same object. */
export function sameEntry(left: XrefEntry, right: XrefEntry): boolean {
  if (left.kind === "plain" && right.kind === "plain")
    return left.offset === right.offset && left.generation === right.generation;
  if (left.kind === "packed" && right.kind === "packed")
    return left.stream === right.stream && left.index === right.index;
  return left.kind === right.kind;
}
