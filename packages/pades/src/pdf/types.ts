import type { Deflate, Sha256 } from "../ports.ts";
import type { CoveredPage } from "../validate/page-cover.ts";

/** The four handwriting fonts a typed signature may wear. */
export type HandName =
  | "caveat"
  | "la-belle-aurore"
  | "playwrite-fr-moderne"
  | "herr-von-muellerhoff";

/** Font programs (TrueType bytes, `glyf` outlines). `text` is tried in order: the first font that has a glyph draws the character. */
export type Fonts = {
  readonly text: readonly Uint8Array[];
  readonly hands: Readonly<Record<HandName, Uint8Array>>;
};

/** `mention`: a text that the signer copies from the sender; it is written as free text is. */
export type FieldType =
  | "signature"
  | "initials"
  | "date"
  | "name"
  | "text"
  | "checkbox"
  | "mention";

/**
 * A place on a page.
 * Units: `x, y, width, height` are fractions (0 to 1) of the page as displayed (CropBox, rotation applied), origin top left; `pageNumber` from 1.
 */
export type FieldPlacement = {
  /** Unique within the document; the PDF field is named `{namePrefix}_{name}`. ASCII letters, digits, `-` and `_`. */
  readonly name: string;
  /** Who fills it: an opaque key (the recipient's id). */
  readonly ownerKey: string;
  readonly type: FieldType;
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  /** What a screen reader says (`/TU`). */
  readonly tooltip: string;
};

export type PrepareFieldsOptions = {
  /** The envelope's id, say: keeps our field names apart from the file's own. No '.'. */
  readonly namePrefix: string;
  readonly fonts: Fonts;
  readonly fields: readonly FieldPlacement[];
  /** Everybody who will sign this document: each gets exactly one signature field, invisible when none was placed for them. Defaults to the owners of the fields. */
  readonly ownerKeys?: readonly string[];
};

/** One drawn point: x and y in units of the pad's height (origin top left), pressure 0 to 1. */
export type StrokePoint = readonly [x: number, y: number, pressure: number];

/** How the signer's hand looks. */
export type Mark =
  | { readonly kind: "strokes"; readonly strokes: readonly (readonly StrokePoint[])[] }
  | { readonly kind: "typed"; readonly text: string; readonly hand: HandName }
  | { readonly kind: "image"; readonly bytes: Uint8Array };

/** A field of the signer who signs, as given to `prepareFields`, with its value: text, or "true" for a ticked box; null leaves it blank. */
export type OwnField = {
  readonly name: string;
  readonly type: FieldType;
  readonly label?: string;
  /** From 1. Said with the signature where a mark has no field of its own (a file signed elsewhere). */
  readonly pageNumber?: number;
  readonly value: string | null;
};

export type PrepareSignatureOptions = {
  readonly namePrefix: string;
  readonly ownerKey: string;
  /** Every field of this signer in this document (signature and initials too). */
  readonly ownFields: readonly OwnField[];
  readonly mark: Mark;
  /** What initials fields show; the mark itself when absent. */
  readonly initials?: Mark;
  /** Printed under the mark, shrunk to the box: the name, the date sentence, the envelope's id. */
  readonly lines: readonly string[];
  readonly fonts: Fonts;
  /** Becomes `/M`, to the second, UTC. */
  readonly signingTime: Date;
  /** `/Name` of the signature dictionary. */
  readonly signerName: string;
  readonly reason?: string;
  readonly location?: string;
  /** Room kept for the CMS, in bytes; 8 192 when absent. */
  readonly reserveBytes?: number;
  /** WebCrypto's when absent. */
  readonly sha256?: Sha256;
  /** The platform's when absent. */
  readonly deflate?: Deflate;
};

/**
 * A revision that waits for its CMS.
 * Shape: `byteRange` is `/ByteRange`; `contentsOffset` is the offset of the first hex digit, `contentsLength` the number of hex digits.
 */
export type PreparedSignature = {
  readonly bytes: Uint8Array;
  readonly byteRange: readonly [number, number, number, number];
  readonly contentsOffset: number;
  readonly contentsLength: number;
  readonly digestSha256: Uint8Array;
};

export type PageGeometry = {
  /** Displayed size in points (rotation, CropBox and UserUnit applied). */
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
};

export type FindingCode =
  | "encryption_removed"
  | "structure_rebuilt"
  | "leading_bytes"
  | "javascript"
  | "launch_action"
  | "external_action"
  | "alternate_images"
  | "attachments"
  | "portfolio"
  | "hidden_layers"
  | "existing_signatures"
  | "existing_timestamps"
  | "unverified_signatures"
  | "unverified_timestamps"
  | "certified"
  | "existing_form"
  | "static_xfa"
  | "multimedia"
  | "reader_dependent"
  | "form_values";

export type Finding = { readonly code: FindingCode; readonly count?: number };

/** In fractions of the displayed page, origin top left. */
export type PagePlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Where a page displays an annotation. `coverable`: neither a field nor a signature, so that one may be put over it when no other place is left. */
export type TakenPlace = PagePlace & { readonly coverable?: true };

/** Where a page displays a field of the file's own form, or a signature it bears; `pageNumber` from 1. */
export type FormPlace = PagePlace & { readonly pageNumber: number };

/** What is known of an uploaded PDF. `fixable`: it must be normalised (`normalisePdf`) before it can be signed. */
export type PdfInspection = {
  readonly pageCount: number;
  readonly pages: readonly PageGeometry[];
  /** Where the last page displays annotations: what is placed by itself goes elsewhere. */
  readonly takenOnLastPage: readonly TakenPlace[];
  /** Page by page; the first 2 000. */
  readonly formPlaces: readonly FormPlace[];
  /** Pages on which something was placed, or filled, since the first signature: there is less room for more. */
  readonly covered: readonly CoveredPage[];
  readonly signatureCount: number;
  readonly canUpdateIncrementally: boolean;
  readonly result: "ok" | "fixable";
  readonly findings: readonly Finding[];
};
