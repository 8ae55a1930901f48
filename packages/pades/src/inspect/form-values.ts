import {
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from "@libpdf/core";
import {
  type Lettered,
  letteredAnnotations,
  letteredContent,
  letteredEntries,
} from "../annotations/draw-annotations.ts";
import { type Size, displayedSize } from "../appearance/content.ts";
import { type TextFonts, embedTextFonts, missingCharacter } from "../font/text-fonts.ts";
import { PadesError } from "../pades-error.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { freeNumbers } from "../pdf/walk-objects.ts";
import { type IncrementalUpdate, beginUpdate, latinBytes } from "../pdf/incremental-update.ts";
import {
  type OpenPdf,
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  openPdf,
  requireIncremental,
} from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import type { Fonts } from "../pdf/types.ts";
import { writeNumber } from "../pdf/write-object.ts";
import { putTextAppearance } from "../sign/field-appearances.ts";
import { withEntries } from "../sign/prepare-fields.ts";
import { placeOf } from "../sign/prepare-signature.ts";
import { isVisible } from "../validate/signature-looks.ts";
import {
  annotationsOf,
  annotationsOfPages,
  nameAnnotations,
  pagesOf,
} from "./flatten-annotations.ts";
import { contentOperations, contentText } from "./flatten-layers.ts";
import { LONGEST_SHOWN, type ShownText, shownText } from "./shown-text.ts";

/** Source: ISO 32000-2 §12.5.6.19, table 192. */
const FILLS: Readonly<Record<number, string>> = { 1: "g", 3: "rg", 4: "k" };

/** Empty for a field with neither background nor border. */
export function frameContent(open: OpenPdf, widget: PdfDict, { width, height }: Size): string {
  const characteristics = dictAt(open, widget, "MK");
  const [ground, line] = ["BG", "BC"].map((key) =>
    characteristics ? colourOf(open, characteristics, key) : null,
  );
  const style = dictAt(open, widget, "BS");
  const thick = Math.max(
    0,
    Math.min((style && numberAt(open, style, "W")) ?? 1, width / 4, height / 4),
  );
  const inner = [thick / 2, thick / 2, width - thick, height - thick]
    .map((value) => writeNumber(value, 3))
    .join(" ");
  const filled = ground
    ? `${ground} 0 0 ${writeNumber(width, 3)} ${writeNumber(height, 3)} re f `
    : "";
  const lined =
    line && thick > 0 ? `${line.toUpperCase()} ${writeNumber(thick, 3)} w ${inner} re S ` : "";
  return filled + lined === "" ? "" : `q ${filled}${lined}Q\n`;
}

/** Source: ISO 32000-2 §12.5.5. */
function frameLook(open: OpenPdf, widget: PdfDict): PdfDict {
  const [left, bottom, right, top] = placeOf(open, widget).rectangle;
  const size = { width: right - left, height: top - bottom };
  const box = new PdfArray([0, 0, size.width, size.height].map((value) => PdfNumber.of(value)));
  const form = new PdfStream(
    [
      ["Type", PdfName.of("XObject")],
      ["Subtype", PdfName.of("Form")],
      ["BBox", box],
    ],
    latinBytes(frameContent(open, widget, size)),
  );
  return new PdfDict([["N", open.pdf.context.register(form)]]);
}

function colourOf(open: OpenPdf, characteristics: PdfDict, key: string): string | null {
  const components = (arrayAt(open, characteristics, key)?.toArray() ?? []).map((item) => {
    const value = follow(open, item);
    return value instanceof PdfNumber ? writeNumber(Math.min(1, Math.max(0, value.value)), 3) : "0";
  });
  const operator = FILLS[components.length];
  return operator === undefined ? null : `${components.join(" ")} ${operator}`;
}

/** Letters whose accent does not decompose, and signs that producers exchange. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u2039\u203a`]/g, "'"],
  [/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2044/g, "/"],
  [/\u2022/g, "*"],
  [/\u00c6/g, "AE"],
  [/\u00e6/g, "ae"],
  [/\u0152/g, "OE"],
  [/\u0153/g, "oe"],
  [/\u00df/g, "ss"],
  [/\u00d8/g, "O"],
  [/\u00f8/g, "o"],
  [/\u0141/g, "L"],
  [/\u0142/g, "l"],
  [/[\u00d0\u0110]/g, "D"],
  [/[\u00f0\u0111]/g, "d"],
  [/\u0131/g, "i"],
];
const UNDRAWN = /[\p{M}\p{Z}\p{Cc}\p{Cf}\u02c6-\u02dd]/gu;
/** In other scripts the drawn order and shapes differ from the codes. */
const TOLD =
  /^[!-~\u00a1-\u00b7\u00bf\u00d7\u00de\u00f7\u00fe\u0192\u03bc\u2020\u2021\u2030\u20ac]*$/;

/** Null where what producers draw is unknown. */
function folded(text: string): string | null {
  const plain = ALIKE.reduce(
    (so, [from, to]) => so.replace(from, to),
    text.normalize("NFKD"),
  ).replace(UNDRAWN, "");
  return TOLD.test(plain) ? plain : null;
}

/**
 * Whether an appearance certainly shows another text than the value; one without text never does.
 */
export function appearanceMismatch({ text, paints }: ShownText, value: string): boolean {
  if (text !== null && text.length > LONGEST_SHOWN) return true;
  const shown = text === null ? null : folded(text);
  const meant = folded(value);
  if (shown === null || meant === null || shown === meant || (shown === "" && paints)) return false;
  return !areOneNumber(text ?? "", value) && !isGrouped(text ?? "", value);
}

/** Joined or right-to-left scripts are drawn in another order. */
function hasSameLetters(left: string, right: string): boolean {
  const lettersOf = (text: string): string =>
    Array.from(text.normalize("NFKD").replace(UNDRAWN, "")).toSorted().join("");
  return lettersOf(left) === lettersOf(right);
}

/** Telephone and social security numbers are grouped; shorter ones might be sums with a sign. */
function isGrouped(text: string, value: string): boolean {
  return (
    /^\d{7,}$/.test(value.trim()) &&
    /^\(?\d+(?:[() -]+\d+)*$/.test(text.trim()) &&
    text.replace(/\D/g, "") === value.trim()
  );
}

/** Groups, a currency, fewer decimals or a percentage keep the number. */
function areOneNumber(text: string, value: string): boolean {
  const meant = value.trim();
  if (!/^[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/.test(meant)) return false;
  const exact = Number(meant.replace(",", "."));
  return readings(text).some(({ number, step }) => Math.abs(number - exact) <= step * 0.501);
}

type Reading = { readonly number: number; readonly step: number };

/** The last point or comma begins the decimals or the last thousands. `step`: of the last digit. */
function readings(text: string): readonly Reading[] {
  const plain = text.replace(/[\s\u00a0\u202f']/g, "");
  const [digits, ...more] = plain.match(/\d[\d.,]*/g) ?? [];
  if (digits === undefined || more.length > 0) return [];
  const isNegative = /[-\u2212(]/.test(plain.slice(0, plain.indexOf(digits)));
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const decimals = last < 0 ? 0 : digits.length - 1 - last;
  const whole = Number(digits.replace(/\D/g, ""));
  const ways = decimals > 0 ? [10 ** -decimals, ...(decimals === 3 ? [1] : [])] : [1];
  const scale = plain.includes("%") ? [1, 0.01] : [1];
  return ways.flatMap((way) =>
    scale.map((part) => ({ number: (isNegative ? -1 : 1) * whole * way * part, step: way * part })),
  );
}

/** Source: ISO 32000-2 §12.7.5.2.1, table 229; §12.7.5.3, table 231; §12.7.5.4, table 233. */
const [PUSH_BUTTON, PASSWORD, COMBO] = [65_536, 8_192, 131_072] as const;
/** Painting operators. Source: ISO 32000-2 §8.2, table 50. */
const PAINTING = new Set([
  "S",
  "s",
  "f",
  "F",
  "f*",
  "B",
  "B*",
  "b",
  "b*",
  "sh",
  "Do",
  "EI",
  "Tj",
  "TJ",
  "'",
  '"',
]);
const LONGEST_VALUE = 4_000;

type Unsettled = "text" | "state" | "caption";

/**
 * Counts the fields whose value and appearance readers may show differently.
 * Source: ISO 32000-2 §12.7.3 (NeedAppearances), §12.7.4.3.
 */
export function unsettledFields(open: OpenPdf): number {
  let count = 0;
  for (const { dict } of widgetsOf(open)) if (unsettledOf(open, dict) !== null) count += 1;
  return count;
}

/**
 * Gives such fields the state of their value, a bare frame, or none until `drawValues`. A value
 * that `fonts` cannot draw keeps an appearance with the same letters.
 */
export function settleFields(open: OpenPdf, fonts: Pick<Fonts, "text"> | undefined): void {
  const canDraw = (text: string): boolean =>
    fonts === undefined || missingCharacter(text, fonts.text) === null;
  for (const { dict } of widgetsOf(open)) {
    const unsettled = unsettledOf(open, dict);
    const text = unsettled === "text" ? fieldText(open, dict) : "";
    if (unsettled === "text" && text === "") dict.set("AP", frameLook(open, dict));
    else if (unsettled === "text" && (canDraw(text) || !mayShow(open, dict, text)))
      dict.delete("AP");
    if (unsettled === "state") dict.set("AS", PdfName.of(stateOf(open, dict) ?? "Off"));
  }
  nameAnnotations(open, (dict) => unsettledOf(open, dict) === "text");
  dictAt(open, open.catalog, "AcroForm")?.delete("NeedAppearances");
}

function undrawnFields(
  open: OpenPdf,
): readonly { readonly ref: PdfRef; readonly dict: PdfDict; readonly text: string }[] {
  return [...widgetsOf(open)].flatMap(({ item, dict }) =>
    item instanceof PdfRef && unsettledOf(open, dict) === "text"
      ? [{ ref: item, dict, text: fieldText(open, dict) }]
      : [],
  );
}

function* widgetsOf(
  open: OpenPdf,
): Generator<{ readonly item: PdfObject; readonly dict: PdfDict }> {
  const seen = new Set<PdfDict>();
  for (const page of pagesOf(open))
    for (const { item, dict } of annotationsOf(open, page)) {
      if (seen.has(dict)) continue;
      seen.add(dict);
      if (nameAt(open, dict, "Subtype") === "Widget" && isVisible(open, dict)) yield { item, dict };
    }
}

function unsettledOf(open: OpenPdf, widget: PdfDict): Unsettled | null {
  const type = follow(open, inheritedAt(open, widget, "FT"));
  const kind = type instanceof PdfName ? type.value : "";
  if (kind === "Btn") return isStale(open) ? unsettledButton(open, widget) : null;
  if (kind !== "Tx" && kind !== "Ch") return null;
  const look = normalLook(open, widget);
  const text = fieldText(open, widget);
  if (!(look instanceof PdfStream)) return text === "" ? null : "text";
  const isUnsettled = isStale(open)
    ? text !== "" || draws(open, look)
    : isOneText(open, widget, kind) && differs(open, look, text);
  return isUnsettled ? "text" : null;
}

/** A list shows all options, a password no letter. */
function isOneText(open: OpenPdf, widget: PdfDict, kind: "Tx" | "Ch"): boolean {
  return (
    (flagsOf(open, widget) & (kind === "Tx" ? PASSWORD : COMBO)) === (kind === "Tx" ? 0 : COMBO)
  );
}

function differs(open: OpenPdf, look: PdfStream, text: string): boolean {
  const form = dictAt(open, open.catalog, "AcroForm");
  return appearanceMismatch(shownText(open, look, form && dictAt(open, form, "DR")), text);
}

function mayShow(open: OpenPdf, widget: PdfDict, value: string): boolean {
  const look = normalLook(open, widget);
  if (!(look instanceof PdfStream) || !draws(open, look)) return false;
  const form = dictAt(open, open.catalog, "AcroForm");
  const { text } = shownText(open, look, form && dictAt(open, form, "DR"));
  return text === null || hasSameLetters(text, value);
}

function unsettledButton(open: OpenPdf, widget: PdfDict): Unsettled | null {
  if ((flagsOf(open, widget) & PUSH_BUTTON) !== 0) {
    const characteristics = dictAt(open, widget, "MK");
    return characteristics?.has("CA") && normalLook(open, widget) ? "caption" : null;
  }
  const state = stateOf(open, widget);
  return state === null || state === (nameAt(open, widget, "AS") ?? state) ? null : "state";
}

function stateOf(open: OpenPdf, widget: PdfDict): string | null {
  const value = follow(open, inheritedAt(open, widget, "V"));
  const looks = normalLook(open, widget);
  if (!(value instanceof PdfName) || !(looks instanceof PdfDict) || looks instanceof PdfStream)
    return null;
  return looks.has(value.value) ? value.value : "Off";
}

/** NeedAppearances: some readers regenerate every appearance. */
function isStale(open: OpenPdf): boolean {
  const form = dictAt(open, open.catalog, "AcroForm");
  const needed = form && follow(open, form.get("NeedAppearances"));
  return needed instanceof PdfBool && needed.value;
}

function normalLook(open: OpenPdf, widget: PdfDict): PdfObject | undefined {
  const appearances = dictAt(open, widget, "AP");
  return appearances && follow(open, appearances.get("N"));
}

function draws(open: OpenPdf, look: PdfStream): boolean {
  for (const { operator } of contentOperations(contentText(open, look)))
    if (PAINTING.has(operator)) return true;
  return false;
}

export function flagsOf(open: OpenPdf, widget: PdfDict): number {
  const flags = follow(open, inheritedAt(open, widget, "Ff"));
  return flags?.type === "number" ? flags.value : 0;
}

/** Of a choice, the display text. Errors: `pdf_too_complex`. */
export function fieldText(open: OpenPdf, widget: PdfDict): string {
  const value = follow(open, inheritedAt(open, widget, "V"));
  const options = follow(open, inheritedAt(open, widget, "Opt"));
  const values =
    value instanceof PdfArray ? value.toArray().map((item) => follow(open, item)) : [value];
  const shown =
    options instanceof PdfArray && values.some((one) => one !== undefined)
      ? shownBy(open, options)
      : new Map<string, string>();
  const text = values
    .map((one) => stringOf(open, one))
    .map((one) => shown.get(one) ?? one)
    .join("\n");
  if (text.length > LONGEST_VALUE)
    throw new PadesError("pdf_too_complex", "Expected values that fit in their fields");
  return (flagsOf(open, widget) & PASSWORD) === 0 ? text : "*".repeat(text.length);
}

/** An option is its value, or value and display text. Source: ISO 32000-2 §12.7.5.4, table 234. */
function shownBy(open: OpenPdf, options: PdfArray): ReadonlyMap<string, string> {
  return new Map(
    options.toArray().flatMap((item): [string, string][] => {
      const option = follow(open, item);
      if (!(option instanceof PdfArray)) return [];
      return [
        [stringOf(open, follow(open, option.at(0))), stringOf(open, follow(open, option.at(1)))],
      ];
    }),
  );
}

function stringOf(open: OpenPdf, value: PdfObject | undefined): string {
  if (value instanceof PdfString) return value.asString();
  return value instanceof PdfStream
    ? PdfString.fromBytes(decodedData(value, decodingBudget(open))).asString()
    : "";
}

/** Each is laid out at many sizes. Units: characters of all fields together. */
const MOST_TEXT = 100_000;

/**
 * Draws the values of text and choice fields and the text of annotations, in our fonts.
 * Errors: `pdf_too_complex` for too much text, or characters that no font has.
 * Source: ISO 32000-2 §12.7.4.3.
 */
export async function drawValues(
  bytes: Uint8Array,
  fonts: Pick<Fonts, "text"> | undefined,
): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  const fields = undrawnFields(open);
  const annotations = letteredAnnotations(open, annotationsOfPages(open));
  const texts = [...fields, ...annotations].map(({ text }) => text);
  if (texts.length === 0) return bytes;
  if (!fonts) throw new TypeError("Expected fonts for the values of the form");
  requireIncremental(open);
  if (texts.reduce((sum, text) => sum + text.length, 0) > MOST_TEXT)
    throw new PadesError("pdf_too_complex", "Expected a form of a bearable size");
  const update = beginUpdate(open, { from: freeNumbers(open).from });
  const letters = await drawable(() =>
    embedTextFonts(update, { fonts, texts, shared: null, resource: "PsV" }),
  );
  for (const { ref, dict, text } of fields) {
    const place = placeOf(open, dict);
    const under = frameContent(open, dict, displayedSize(place.rectangle, place.rotation));
    const look = await putTextAppearance(update, place, {
      value: text,
      fonts: letters,
      lines: "many",
      under,
    });
    update.put(ref.objectNumber, withEntries(dict, { AP: `<</N ${look} 0 R>>` }), ref.generation);
  }
  for (const annotation of annotations) await drawLetters(open, update, { annotation, letters });
  return update.finish().bytes;
}

async function drawLetters(
  open: OpenPdf,
  update: IncrementalUpdate,
  { annotation, letters }: { readonly annotation: Lettered; readonly letters: TextFonts },
): Promise<void> {
  const { ref, dict, frame } = annotation;
  const look = update.allocate();
  await update.putStream(
    look,
    letteredEntries(open, annotation, letters),
    latinBytes(letteredContent(open, annotation, letters)),
  );
  const entries = {
    Rect: `[${frame.map((value) => writeNumber(value, 3)).join(" ")}]`,
    AP: `<</N ${look} 0 R>>`,
  };
  update.put(ref.objectNumber, withEntries(dict, entries), ref.generation);
}

/** Printed to a new file, such text appears in its author's fonts. */
async function drawable<T>(embed: () => Promise<T>): Promise<T> {
  try {
    return await embed();
  } catch (cause) {
    if (!(cause instanceof PadesError) || cause.code !== "unsupported_character") throw cause;
    throw new PadesError("pdf_too_complex", "Expected values that the fonts can draw", { cause });
  }
}
