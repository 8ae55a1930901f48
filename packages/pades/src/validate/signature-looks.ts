import {
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
} from "@libpdf/core";
import { type FieldParent, type FormField, hasFrame } from "../pdf/form-fields.ts";
import {
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  type OpenPdf,
  textAt,
} from "../pdf/open-pdf.ts";
import type { Box } from "../pdf/page-geometry.ts";
import { writeObject } from "../pdf/write-object.ts";
import type { PairedWalk } from "./paired-walk.ts";

/** What other makers add besides value and appearance. */
export const SIGNING_ENTRIES: ReadonlySet<string> = new Set(["Type", "F", "P", "DV"]);

/** Source: ISO 32000-2 §12.5.3, table 167. */
const [PRINT, LOCKED] = [4, 128] as const;

type Signed = {
  readonly before: PdfDict;
  readonly after: PdfDict;
  readonly reference: string | null;
};

/**
 * Whether an entry that came with a field's signature shows nothing else.
 * Tolerance: iText prints and locks the field; PDFBox names its page; LibreOffice repeats the value
 * as default.
 */
export function isSigningEntry(
  { before: old, after: now }: PairedWalk,
  { before, after, reference }: Signed,
  key: string,
): boolean {
  if (key === "F")
    return gainsPrinting(numberAt(old, before, "F") ?? 0, numberAt(now, after, "F") ?? 0);
  if (before.has(key)) return false;
  if (key === "Type") return nameAt(now, after, "Type") === "Annot";
  if (key === "DV") return repeatsValue(after);
  return isOnPage(now, after.get("P"), reference);
}

function gainsPrinting(before: number, after: number): boolean {
  return (
    (before & ~after) === 0 &&
    (after & ~before & ~(PRINT | LOCKED)) === 0 &&
    Number.isInteger(after)
  );
}

/** Resetting the form keeps the signature. Source: ISO 32000-2 §12.7.4.1, table 226. */
function repeatsValue(field: PdfDict): boolean {
  const [repeated, value] = [field.get("DV"), field.get("V")];
  return (
    repeated instanceof PdfRef &&
    value instanceof PdfRef &&
    writeObject(repeated) === writeObject(value)
  );
}

function isOnPage(
  open: OpenPdf,
  named: ReturnType<PdfDict["get"]>,
  reference: string | null,
): boolean {
  const page = named instanceof PdfRef ? follow(open, named) : undefined;
  const shown =
    page?.type === "dict" ? arrayAt(open, page as PdfDict, "Annots")?.toArray() : undefined;
  return reference !== null && (shown ?? []).some((item) => writeObject(item) === reference);
}

/** With these, nothing acts and readers paint nothing themselves. */
const WIDGET_ENTRIES = new Set(
  "Type Subtype FT T TU TM F Ff Rect P V AP DA DR H M NM Lang Parent StructParent Lock SV MK Border BS Q DV".split(
    " ",
  ),
);
/** Source: ISO 32000-2 §12.7.4.1, table 226. */
const PARENT_ENTRIES = new Set(["T", "Kids", "Parent", "FT", "Ff", "TU", "TM"]);
const APPEARANCES = new Set(["N", "D", "R"]);
/** Source: ISO 32000-2 §8.10.2, table 93. */
const BLANK_ENTRIES = new Set([
  "Type",
  "Subtype",
  "FormType",
  "BBox",
  "Matrix",
  "Resources",
  "Length",
  "Name",
]);
/** Zlib header, end of block, checksum of nothing. */
const NOTHING: readonly number[] = [0x78, 0x9c, 3, 0, 0, 0, 0, 1];
const LEVELS = new Set([0x01, 0x5e, 0x9c, 0xda]);
/** Source: ISO 32000-2 §12.5.3, table 167. */
const HIDDEN = 2;
const [NO_ZOOM, NO_ROTATE, TOGGLE_NO_VIEW] = [8, 16, 256] as const;

export function paints(open: OpenPdf, field: PdfDict): boolean {
  const appearances = follow(open, field.get("AP"));
  if (appearances === undefined) return false;
  if (!(appearances instanceof PdfDict) || appearances instanceof PdfStream) return true;
  return [...appearances].some(([, value]) => {
    const look = follow(open, value);
    return look !== undefined && !isBlank(open, look) && !isHollow(open, look);
  });
}

/** Filtered white space may be anything; images and groups paint by other entries. */
function isBlank(open: OpenPdf, look: PdfObject): boolean {
  if (
    !(look instanceof PdfStream) ||
    [...look.keys()].some(({ value }) => value !== "Filter" && !BLANK_ENTRIES.has(value))
  )
    return false;
  const subtype = look.get("Subtype");
  const isEmpty = look.has("Filter")
    ? nameAt(open, look, "Filter") === "FlateDecode" && isDeflatedNothing(look.data)
    : look.data.every((byte) => byte <= 0x20);
  return (
    isEmpty && (subtype === undefined || (subtype instanceof PdfName && subtype.value === "Form"))
  );
}

/**
 * Tolerance: iText deflates an empty appearance. Other data may be empty for some readers only.
 * Source: RFC 1950 §2.2, RFC 1951 §3.2.6.
 */
function isDeflatedNothing(data: Uint8Array): boolean {
  return (
    data.length === NOTHING.length &&
    data.every((byte, index) => (index === 1 ? LEVELS.has(byte) : byte === NOTHING[index]))
  );
}

/** Tolerance: endesive writes a form's dictionary without a form, so nothing is drawn. */
function isHollow(open: OpenPdf, look: PdfObject | undefined): boolean {
  if (!isPlainDict(look)) return false;
  return [...look].every(([, value]) => {
    const found = follow(open, value);
    return (
      isWord(found) ||
      (found instanceof PdfArray && found.toArray().every((item) => isWord(follow(open, item))))
    );
  });
}

const isWord = (value: PdfObject | undefined): boolean =>
  value instanceof PdfName || value instanceof PdfNumber;

/**
 * Whether a field's appearances are a plain dictionary of forms, or of forms by state.
 * Source: ISO 32000-2 §12.5.5, table 170.
 */
export function hasPlainLook(open: OpenPdf, field: PdfDict): boolean {
  const appearances = follow(open, field.get("AP"));
  if (appearances === undefined) return true;
  if (!(appearances instanceof PdfDict) || appearances instanceof PdfStream) return false;
  return [...appearances].every(([key, value]) => {
    const look = follow(open, value);
    if (!APPEARANCES.has(key.value) || !(look instanceof PdfDict)) return false;
    return look instanceof PdfStream
      ? isForm(open, look)
      : [...look].every(([, state]) => isForm(open, follow(open, state)));
  });
}

/** A form without a BBox could cover the whole page. */
function isForm(open: OpenPdf, look: PdfObject | undefined): boolean {
  return (
    look instanceof PdfStream &&
    hasFrame(open, look) &&
    (nameAt(open, look, "Subtype") ?? "Form") === "Form"
  );
}

export function isVisible(open: OpenPdf, widget: PdfDict): boolean {
  if (((numberAt(open, widget, "F") ?? 0) & HIDDEN) !== 0) return false;
  const [left, bottom, right, top] = rectangleOf(open, widget);
  return !(left === right || bottom === top);
}

function rectangleOf(open: OpenPdf, widget: PdfDict): number[] {
  return (arrayAt(open, widget, "Rect")?.toArray() ?? []).map((item) => {
    const number = follow(open, item);
    return number instanceof PdfNumber ? number.value : Number.NaN;
  });
}

/**
 * The fraction of a page under a widget: 0 when hidden, NaN without a rectangle.
 * Source: ISO 32000-2 §12.5.5, algorithm 8.
 */
export function coveredPart(
  open: OpenPdf,
  widget: PdfDict,
  [left, bottom, right, top]: Box,
): number {
  const [x1 = Number.NaN, y1 = Number.NaN, x2 = Number.NaN, y2 = Number.NaN] = rectangleOf(
    open,
    widget,
  );
  if (![x1, y1, x2, y2].every(Number.isFinite)) return Number.NaN;
  if (!isVisible(open, widget)) return 0;
  const width = Math.min(Math.max(x1, x2), right) - Math.max(Math.min(x1, x2), left);
  const height = Math.min(Math.max(y1, y2), top) - Math.max(Math.min(y1, y2), bottom);
  return (Math.max(0, width) * Math.max(0, height)) / ((right - left) * (top - bottom));
}

/**
 * Whether a widget always fills its rectangle.
 * Source: ISO 32000-2 §12.5.3, table 167 (NoZoom, NoRotate, ToggleNoView).
 */
export function staysInPlace(open: OpenPdf, widget: PdfDict, rotation: number): boolean {
  const flags = numberAt(open, widget, "F") ?? 0;
  return (
    (flags & (NO_ZOOM | TOGGLE_NO_VIEW)) === 0 && (rotation === 0 || (flags & NO_ROTATE) === 0)
  );
}

/**
 * Whether a new field is a signature widget of its own, with known entries only.
 * Source: ISO 32000-2 §12.5.6.19, §12.7.5.5.
 */
export function isPlainSignatureWidget(
  open: OpenPdf,
  { type, dict, ref, value, parents }: FormField,
): boolean {
  if (type !== "Sig" || !ref || dict instanceof PdfStream || !hasSignatureLook(open, dict))
    return false;
  if (!hasPlainName(open, dict) || !namesParent(dict, parents.at(-1))) return false;
  // An inherited value would be somebody else's signature.
  if (value !== dict.get("V")) return false;
  if ([...dict.keys()].some(({ value }) => !WIDGET_ENTRIES.has(value))) return false;
  const known = nameAt(open, dict, "Subtype") === "Widget" && nameAt(open, dict, "FT") === "Sig";
  const isAnnotation = known && (nameAt(open, dict, "Type") ?? "Annot") === "Annot";
  return isAnnotation && drawsNothing(open, dict) && repeatsResources(open, dict);
}

/** Whether a new ancestor of a signature field only names it. */
export function isPlainParent(
  open: OpenPdf,
  { dict, ref }: FieldParent,
  above: FieldParent | undefined,
): boolean {
  if (
    !ref ||
    dict instanceof PdfStream ||
    [...dict.keys()].some(({ value }) => !PARENT_ENTRIES.has(value))
  )
    return false;
  return hasPlainName(open, dict) && namesParent(dict, above);
}

/** Readers find fields by name. Source: ISO 32000-2 §12.7.4.2. */
function hasPlainName(open: OpenPdf, dict: PdfDict): boolean {
  const name = textAt(open, dict, "T") ?? "";
  return name !== "" && !name.includes(".");
}

function namesParent(dict: PdfDict, parent: FieldParent | undefined): boolean {
  const [named, own] = [dict.get("Parent"), parent?.ref];
  if (named === undefined || !own) return named === undefined && parent === undefined;
  return writeObject(named) === writeObject(own);
}

/** A signature's value cannot be drawn: none is fine. */
function hasSignatureLook(open: OpenPdf, dict: PdfDict): boolean {
  const appearances = follow(open, dict.get("AP"));
  if (appearances === undefined) return true;
  const look =
    isPlainDict(appearances) && appearances.size === 1
      ? follow(open, appearances.get("N"))
      : undefined;
  return isForm(open, look) || isHollow(open, look);
}

/**
 * Tolerance: OpenPDF and iText 2 repeat the appearance's resources in the field's `/DR`.
 * Source: PDF 1.2, §7.6 (withdrawn since).
 */
function repeatsResources(open: OpenPdf, dict: PdfDict): boolean {
  if (!dict.has("DR")) return true;
  const look = follow(open, dictAt(open, dict, "AP")?.get("N"));
  const [repeated, own] = [
    follow(open, dict.get("DR")),
    look instanceof PdfStream ? dictAt(open, look, "Resources") : undefined,
  ];
  if (!isPlainDict(repeated)) return false;
  if (repeated.size === 0) return dict.has("V");
  if (!own) return false;
  return [...repeated].every(([category, value]) => {
    const [names, ownNames] = [follow(open, value), follow(open, own.get(category.value))];
    if (!isPlainDict(names) || !isPlainDict(ownNames)) return false;
    return [...names].every(([name, resource]) =>
      isSameReference(resource, ownNames.get(name.value)),
    );
  });
}

function isPlainDict(value: PdfObject | undefined): value is PdfDict {
  return value instanceof PdfDict && !(value instanceof PdfStream);
}

function isSameReference(left: PdfObject, right: PdfObject | undefined): boolean {
  return (
    left instanceof PdfRef && right instanceof PdfRef && writeObject(left) === writeObject(right)
  );
}

/**
 * Some readers paint colours, captions and borders themselves.
 * Source: ISO 32000-2 §12.5.6.19, table 192.
 */
function drawsNothing(open: OpenPdf, dict: PdfDict): boolean {
  const characteristics = follow(open, dict.get("MK"));
  const border = follow(open, dict.get("Border"));
  const plain =
    !(characteristics instanceof PdfDict) ||
    [...characteristics].every(([key, value]) => paintsNothing(open, key.value, value));
  const style = follow(open, dict.get("BS"));
  if (style !== undefined && !(style instanceof PdfDict && numberAt(open, style, "W") === 0))
    return false;
  if (dict.has("DV") && !repeatsValue(dict)) return false;
  const none =
    border === undefined ||
    (border instanceof PdfArray && border.toArray().every((item) => isZero(follow(open, item))));
  return plain && none;
}

/**
 * Tolerance: Acrobat writes colours without components.
 * Source: ISO 32000-2 §12.5.6.19, table 192.
 */
function paintsNothing(open: OpenPdf, key: string, value: PdfObject): boolean {
  const colour = follow(open, value);
  return (
    key === "R" ||
    ((key === "BC" || key === "BG") && colour instanceof PdfArray && colour.length === 0)
  );
}

function isZero(value: PdfObject | undefined): boolean {
  return value instanceof PdfNumber && value.value === 0;
}
