import type { Deflate, Sha256 } from "../ports.ts";
import type { CoveredPage } from "../validate/types.ts";

/** The handwriting fonts of a typed signature. */
export type HandName =
  | "caveat"
  | "la-belle-aurore"
  | "playwrite-fr-moderne"
  | "herr-von-muellerhoff";

/** TrueType fonts with `glyf` outlines. `text` in order of preference for each character. */
export type Fonts = {
  readonly text: readonly Uint8Array[];
  readonly hands: Readonly<Record<HandName, Uint8Array>>;
};

/**
 * What each kind of field shows: a signer's mark, one line or many, a box, or many lines in the
 * signer's hand.
 */
export const FIELD_LOOKS = {
  signature: "mark",
  initials: "mark",
  date: "line",
  name: "line",
  text: "lines",
  checkbox: "box",
  mention: "handwriting",
} as const satisfies Readonly<Record<string, "mark" | "line" | "lines" | "box" | "handwriting">>;
export type FieldType = keyof typeof FIELD_LOOKS;

/** Units: fractions (0 to 1) of the displayed page, origin top left; `pageNumber` from 1. */
export type FieldPlacement = {
  /** Unique in the document: ASCII letters, digits, `-` and `_`. */
  readonly name: string;
  readonly ownerKey: string;
  readonly type: FieldType;
  readonly pageNumber: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly tooltip: string;
};

export type PrepareFieldsOptions = {
  /** Sets our field names apart from the file's. No '.'. */
  readonly namePrefix: string;
  readonly fonts: Fonts;
  readonly fields: readonly FieldPlacement[];
  /** Each gets one signature field, invisible unless placed; by default the fields' owners. */
  readonly ownerKeys?: readonly string[];
};

/** A point: x and y in pad heights (origin top left), pressure 0 to 1. */
export type StrokePoint = readonly [x: number, y: number, pressure: number];

/** A signer's drawn, typed or pictured mark. */
export type Mark =
  | { readonly kind: "strokes"; readonly strokes: readonly (readonly StrokePoint[])[] }
  | { readonly kind: "typed"; readonly text: string; readonly hand: HandName }
  | { readonly kind: "image"; readonly bytes: Uint8Array };

/** The signer's field with its value: text, or "true" for a ticked box; null leaves it blank. */
export type OwnField = {
  readonly name: string;
  readonly type: FieldType;
  readonly label?: string;
  /** From 1. Its value is printed with the signature where the mark has no field. */
  readonly pageNumber?: number;
  readonly value: string | null;
};

export type PrepareSignatureOptions = {
  readonly namePrefix: string;
  readonly ownerKey: string;
  /** Includes signature and initials. */
  readonly ownFields: readonly OwnField[];
  readonly mark: Mark;
  /** What initials fields show; the mark by default. */
  readonly initials?: Mark;
  /** Printed under the mark, shrunk to the box. */
  readonly lines: readonly string[];
  readonly fonts: Fonts;
  /** Becomes `/M`, to the second, UTC. */
  readonly signingTime: Date;
  readonly signerName: string;
  readonly reason?: string;
  readonly location?: string;
  readonly reserveBytes?: number;
  readonly sha256?: Sha256;
  readonly deflate?: Deflate;
};

/** A revision that awaits its CMS. `contentsOffset`, `contentsLength`: its hex digits. */
export type PreparedSignature = {
  readonly bytes: Uint8Array;
  readonly byteRange: readonly [number, number, number, number];
  readonly contentsOffset: number;
  readonly contentsLength: number;
  readonly digestSha256: Uint8Array;
};

export type PageGeometry = {
  /** In points, with rotation, CropBox and UserUnit applied. */
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

export type PagePlace = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** `coverable`: neither field nor signature, so a field may cover it where no place is left. */
export type TakenPlace = PagePlace & { readonly coverable?: true };

/** A field of the form or an earlier signature; `pageNumber` from 1. */
export type FormPlace = PagePlace & { readonly pageNumber: number };

/** `role`: of a text tag. */
export type FoundField = PagePlace & {
  readonly source: "form" | "tag";
  readonly name: string;
  readonly role: string | null;
  readonly type: FieldType;
  readonly pageNumber: number;
  readonly required: boolean;
  readonly label: string;
  readonly value: string | null;
  readonly maxLength: number | null;
};

/** `signed` and `taken` have no fields; `isCut`: there are more. */
export type FoundForm = {
  readonly state: "usable" | "signed" | "taken";
  readonly fields: readonly FoundField[];
  readonly isCut: boolean;
};

/** `ground`: red, green and blue, 0 to 1. */
export type TagCover = PagePlace & {
  readonly pageNumber: number;
  readonly ground: readonly [number, number, number];
};

/** `fixable`: `normalisePdf` must come before signing. */
export type PdfInspection = {
  readonly pageCount: number;
  readonly pages: readonly PageGeometry[];
  readonly takenOnLastPage: readonly TakenPlace[];
  readonly formPlaces: readonly FormPlace[];
  /** Pages with less room since the first signature. */
  readonly covered: readonly CoveredPage[];
  readonly signatureCount: number;
  readonly canUpdateIncrementally: boolean;
  readonly result: "ok" | "fixable";
  readonly findings: readonly Finding[];
};
