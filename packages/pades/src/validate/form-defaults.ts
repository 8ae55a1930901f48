import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import { latinText } from "../pdf/byte-reader.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { type FormField, formFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import type { PairedWalk } from "./paired-walk.ts";
import { hasPlainLook } from "./signature-looks.ts";

/** Source: ISO 32000-2 §12.7.4. */
export const FILLING: ReadonlySet<string> = new Set(["V", "AP", "AS", "I"]);

export type Widget = { readonly dict: PdfDict; readonly ref: PdfRef };

/** Source: ISO 32000-2 §12.7.4.1, table 226 (Kids). */
export function widgetsOf(open: OpenPdf, { dict }: FormField): readonly Widget[] {
  return (arrayAt(open, dict, "Kids")?.toArray() ?? []).flatMap((ref) => {
    const widget = follow(open, ref);
    return ref instanceof PdfRef && widget instanceof PdfDict ? [{ dict: widget, ref }] : [];
  });
}

/** Some programs add empty characteristics. Source: ISO 32000-2 §12.5.6.19, table 192. */
export function getsEmptyCharacteristics(
  open: { readonly before: OpenPdf; readonly after: OpenPdf },
  before: PdfDict,
  after: PdfDict,
): boolean {
  const now = follow(open.after, after.get("MK"));
  return (
    follow(open.before, before.get("MK")) === undefined &&
    now instanceof PdfDict &&
    !(now instanceof PdfStream) &&
    now.size === 0
  );
}

/**
 * A stream as value could be drawn under another name, as resources may name a field.
 * Source: ISO 32000-2 §12.7.5.2 to §12.7.5.4.
 */
export function isFilling(open: OpenPdf, field: FormField): boolean {
  const { type, dict } = field;
  const listed = (value: PdfObject | undefined, kind: PdfObject["type"]): boolean =>
    value?.type === kind ||
    (value instanceof PdfArray &&
      value.toArray().every((item) => follow(open, item)?.type === kind));
  const [value, chosen] = ["V", "I"].map((key) => follow(open, dict.get(key)));
  const isValue =
    type === "Btn"
      ? value?.type === "name"
      : type === "Ch"
        ? listed(value, "string")
        : type === "Tx" && value?.type === "string";
  const isChoice = chosen === undefined || (listed(chosen, "number") && type === "Ch");
  const isLook = (widget: PdfDict): boolean => {
    const state = follow(open, widget.get("AS"));
    return (
      (state === undefined || (state.type === "name" && type === "Btn")) &&
      hasPlainLook(open, widget)
    );
  };
  return (
    (value === undefined || isValue) &&
    isChoice &&
    [dict, ...widgetsOf(open, field).map((widget) => widget.dict)].every(isLook)
  );
}

/** SubFilter decides, whatever the Type. Source: EN 319 142-1 §5.4.3. */
export function isTimestamp(open: OpenPdf, value: PdfDict): boolean {
  return nameAt(open, value, "SubFilter") === "ETSI.RFC3161";
}

type Forms = { readonly before: PdfDict; readonly after: PdfDict };
type Resource = { readonly category: string; readonly name: string };

const NONE = new PdfDict();
const RESOURCES = ["Font", "XObject"];
const ENCODING = new Set(["Type", "BaseEncoding", "Differences"]);
const NAME = /\/([^\0\t\n\f\r ()<>[\]{}/%]*)/g;

/**
 * Readers redraw values with `/DA` and `/DR`: no earlier field may show their changes.
 * Tolerance: PDFBox and DSS add both, with two fonts, and leave the last signature's resources in
 * `/DR`.
 * Source: ISO 32000-2 §12.7.3, table 224; §12.7.4.3.
 */
export function defaultsStay(walk: PairedWalk, forms: Forms, changed: readonly string[]): boolean {
  const fields = formFields(walk.before);
  if (changed.includes("DA") && !mayComeAnew(walk, forms, fields)) return false;
  const added = changed.includes("DR") ? resourcesAdded(walk, forms) : [];
  return added !== null && !mayShow(walk.before, fields, added);
}

/** A new default is harmless where every field with text has its own. */
function mayComeAnew(
  { before, after }: PairedWalk,
  forms: Forms,
  fields: readonly FormField[],
): boolean {
  if (forms.before.has("DA") || !(follow(after, forms.after.get("DA")) instanceof PdfString))
    return false;
  return fields.every(
    ({ type, dict, parents }) =>
      type === "Sig" ||
      defaultsOf(before, [dict, ...parents.map((parent) => parent.dict)]).length > 0,
  );
}

function defaultsOf(open: OpenPdf, holders: readonly PdfDict[]): readonly string[] {
  const values = holders.map((holder) => follow(open, holder.get("DA")));
  return values.flatMap((value) => (value instanceof PdfString ? [latinText(value.bytes)] : []));
}

/** Null for a removed one, another font, or anything but fonts and forms. */
function resourcesAdded(walk: PairedWalk, forms: Forms): readonly Resource[] | null {
  const [old, now] = [
    plainDict(walk.before, forms.before, "DR"),
    plainDict(walk.after, forms.after, "DR"),
  ];
  if (!old || !now) return null;
  const skipped = [
    "ProcSet",
    ...RESOURCES,
    ...(old.has("Encoding") || !hasEncodings(walk.after, now) ? [] : ["Encoding"]),
  ];
  const others = walk.compareDicts(old, now, (key) => (skipped.includes(key) ? "skip" : "note"));
  if (others.length > 0) return null;
  const added: Resource[] = [];
  for (const category of RESOURCES) {
    const [earlier, later] = [
      plainDict(walk.before, old, category),
      plainDict(walk.after, now, category),
    ];
    if (!earlier || !later) return null;
    const names = walk.compareDicts(earlier, later, () => "note");
    if (names.some((name) => earlier.has(name) && category === "Font")) return null;
    if (names.some((name) => !(follow(walk.after, later.get(name)) instanceof PdfDict)))
      return null;
    added.push(...names.map((name) => ({ category, name })));
  }
  return added;
}

/**
 * Tolerance: Acrobat names encodings, which nothing drawn uses. Source: ISO 32000-2 §9.6.5.1, table
 * 112.
 */
function hasEncodings(open: OpenPdf, resources: PdfDict): boolean {
  const encodings = plainDict(open, resources, "Encoding");
  const isWord = (value: PdfObject | undefined): boolean =>
    value?.type === "name" || value?.type === "number";
  const isEntry = (value: PdfObject | undefined): boolean =>
    value instanceof PdfArray ? value.toArray().every(isWord) : isWord(value);
  const isEncoding = (value: PdfObject | undefined): boolean =>
    value instanceof PdfDict &&
    [...value].every(([key, entry]) => ENCODING.has(key.value) && isEntry(follow(open, entry)));
  return encodings !== null && [...encodings].every(([, value]) => isEncoding(follow(open, value)));
}

function plainDict(open: OpenPdf, holder: PdfDict, key: string): PdfDict | null {
  const value = follow(open, holder.get(key)) ?? NONE;
  return value instanceof PdfDict && !(value instanceof PdfStream) ? value : null;
}

/**
 * Whether a field, note or appearance may take one of these. Poppler draws notes with the form's
 * fonts.
 */
function mayShow(open: OpenPdf, fields: readonly FormField[], added: readonly Resource[]): boolean {
  if (added.length === 0) return false;
  const holders = fields.flatMap((field) => [
    field.dict,
    ...widgetsOf(open, field).map(({ dict }) => dict),
  ]);
  const above = fields.flatMap(({ parents }) => parents.map(({ dict }) => dict));
  const form = dictAt(open, open.catalog, "AcroForm") ?? NONE;
  const annotations = annotationsOf(open);
  const bare = annotations.filter(
    (dict) => !(follow(open, dictAt(open, dict, "AP")?.get("N")) instanceof PdfStream),
  );
  const drawn = namesOf(defaultsOf(open, [...holders, ...above, ...bare, form]).join(" "));
  if (added.some(({ category, name }) => category === "Font" && drawn.has(name))) return true;
  return looksOf(open, [...holders, ...annotations]).some((look) => isMissed(open, look, added));
}

function annotationsOf(open: OpenPdf): readonly PdfDict[] {
  return open.pdf.context.pages.getPages().flatMap((ref) => {
    const page = follow(open, ref);
    const listed = page instanceof PdfDict ? (arrayAt(open, page, "Annots")?.toArray() ?? []) : [];
    return listed.map((item) => follow(open, item)).filter((found) => found instanceof PdfDict);
  });
}

function looksOf(open: OpenPdf, holders: readonly PdfDict[]): readonly PdfStream[] {
  const [seen, fonts] = [new Set<PdfDict>(), new Set<PdfDict>()];
  const waiting: (PdfObject | undefined)[] = holders.map((holder) => holder.get("AP"));
  while (waiting.length > 0) {
    const dict = follow(open, waiting.pop());
    if (!(dict instanceof PdfDict) || seen.has(dict)) continue;
    seen.add(dict);
    if (!(dict instanceof PdfStream)) for (const [, next] of dict) waiting.push(next);
    else if (!isImage(open, dict)) {
      const resources = dictAt(open, dict, "Resources") ?? NONE;
      waiting.push(resources.get("XObject"), resources.get("Pattern"));
      const written = dictAt(open, resources, "Font") ?? NONE;
      if (!fonts.has(written)) for (const [, font] of written) waiting.push(glyphsOf(open, font));
      fonts.add(written);
    }
  }
  return [...seen]
    .filter((dict) => dict instanceof PdfStream)
    .filter((stream) => !isImage(open, stream));
}

const isImage = (open: OpenPdf, stream: PdfStream): boolean =>
  nameAt(open, stream, "Subtype") === "Image";

/** Source: ISO 32000-2 §9.6.4, table 110. */
function glyphsOf(open: OpenPdf, font: PdfObject): PdfObject | undefined {
  const found = follow(open, font);
  return found instanceof PdfDict ? found.get("CharProcs") : undefined;
}

function isMissed(open: OpenPdf, look: PdfStream, added: readonly Resource[]): boolean {
  const resources = dictAt(open, look, "Resources") ?? NONE;
  const lacked = added.filter(
    ({ category, name }) => dictAt(open, resources, category)?.has(name) !== true,
  );
  if (lacked.length === 0) return false;
  const names = namesIn(open, look);
  return names === null || lacked.some(({ name }) => names.has(name));
}

function namesIn(open: OpenPdf, look: PdfStream): ReadonlySet<string> | null {
  try {
    return namesOf(latinText(decodedData(look, decodingBudget(open))));
  } catch {
    return null;
  }
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(NAME)].map(([, name = ""]) => decodedName(name)));
}

function decodedName(name: string): string {
  return name.replaceAll(/#([0-9A-Fa-f]{2})/g, (_code, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
