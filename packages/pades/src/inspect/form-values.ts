import { PdfArray, PdfBool, PdfDict, PdfName, type PdfObject, PdfRef, PdfStream, PdfString } from "@libpdf/core";
import { missingCharacter } from "../font/find-unsupported-character.ts";
import { PadesError } from "../pades-error.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { dictAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { isVisible } from "../validate/signature-looks.ts";
import { annotationsOf, nameAnnotations, pagesOf } from "./flatten-annotations.ts";
import { frameLook } from "./field-frame.ts";
import { hasSameLetters, saysOther } from "./says-other.ts";
import { shownText } from "./shown-text.ts";
import { contentText } from "./flatten-layers.ts";
import { contentOperations } from "./hide-content.ts";

/** Source: ISO 32000-2 §12.7.5.2.1, table 229; §12.7.5.3, table 231; §12.7.5.4, table 233. */
const [PUSH_BUTTON, PASSWORD, COMBO] = [65_536, 8_192, 131_072] as const;
/** What puts something on the page. Source: ISO 32000-2 §8.2, table 50. */
const PAINTING = new Set(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh", "Do", "EI", "Tj", "TJ", "'", '"']);
/** More than any field of a page shows. Units: characters. */
const LONGEST_VALUE = 4_000;

/** What readers may show otherwise of a field: the text it has, its state, its caption. */
type Unsettled = "text" | "state" | "caption";

/**
 * Counts the fields of which some readers show the value and others a look that is missing, that the form itself calls stale, or that surely
 * says other.
 * Source: ISO 32000-2 §12.7.3 (NeedAppearances), §12.7.4.3.
 */
export function unsettledFields(open: OpenPdf): number {
  let count = 0;
  for (const { dict } of widgetsOf(open)) if (unsettledOf(open, dict) !== null) count += 1;
  return count;
}

/**
 * Gives such fields the state of their value, a frame around no value, or no look until `drawValues` makes one. A value that `fonts` cannot
 * draw keeps the look that its author's gave it, unless that has other letters.
 */
export function settleFields(open: OpenPdf, fonts: Pick<Fonts, "text"> | undefined): void {
  const canDraw = (text: string): boolean => fonts === undefined || missingCharacter(text, fonts.text) === null;
  for (const { dict } of widgetsOf(open)) {
    const unsettled = unsettledOf(open, dict);
    const text = unsettled === "text" ? textOf(open, dict) : "";
    if (unsettled === "text" && text === "") dict.set("AP", frameLook(open, dict));
    else if (unsettled === "text" && (canDraw(text) || !mayShow(open, dict, text))) dict.delete("AP");
    if (unsettled === "state") dict.set("AS", PdfName.of(stateOf(open, dict) ?? "Off"));
  }
  nameAnnotations(open, (dict) => unsettledOf(open, dict) === "text");
  dictAt(open, open.catalog, "AcroForm")?.delete("NeedAppearances");
}

/** Gives the fields that have a text and no look, each once. */
export function undrawnFields(open: OpenPdf): readonly { readonly ref: PdfRef; readonly dict: PdfDict; readonly text: string }[] {
  return [...widgetsOf(open)].flatMap(({ item, dict }) =>
    item instanceof PdfRef && unsettledOf(open, dict) === "text" ? [{ ref: item, dict, text: textOf(open, dict) }] : [],
  );
}

function* widgetsOf(open: OpenPdf): Generator<{ readonly item: PdfObject; readonly dict: PdfDict }> {
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
  const text = textOf(open, widget);
  if (!(look instanceof PdfStream)) return text === "" ? null : "text";
  const isUnsettled = isStale(open) ? text !== "" || draws(open, look) : isOneText(open, widget, kind) && differs(open, look, text);
  return isUnsettled ? "text" : null;
}

/** A list shows all its options, a password none of its letters. */
function isOneText(open: OpenPdf, widget: PdfDict, kind: "Tx" | "Ch"): boolean {
  return (flagsOf(open, widget) & (kind === "Tx" ? PASSWORD : COMBO)) === (kind === "Tx" ? 0 : COMBO);
}

/** Nothing calls this look stale, and yet it says other than the value that some readers draw, or give to who asks. */
function differs(open: OpenPdf, look: PdfStream, text: string): boolean {
  const form = dictAt(open, open.catalog, "AcroForm");
  return saysOther(shownText(open, look, form && dictAt(open, form, "DR")), text);
}

/** Says whether a field has a look that shows letters, and no others than its value's where its fonts tell. */
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

/** Gives the state that a button's value asks for; null for one without a value, or without looks by state. */
function stateOf(open: OpenPdf, widget: PdfDict): string | null {
  const value = follow(open, inheritedAt(open, widget, "V"));
  const looks = normalLook(open, widget);
  if (!(value instanceof PdfName) || !(looks instanceof PdfDict) || looks instanceof PdfStream) return null;
  return looks.has(value.value) ? value.value : "Off";
}

/** The form says that its looks are not those of its values: some readers make them anew. */
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
  for (const { operator } of contentOperations(contentText(open, look))) if (PAINTING.has(operator)) return true;
  return false;
}

function flagsOf(open: OpenPdf, widget: PdfDict): number {
  const flags = follow(open, inheritedAt(open, widget, "Ff"));
  return flags?.type === "number" ? flags.value : 0;
}

/** Gives what a text or choice field shows: of a choice, the words beside its value. Errors: PadesError `pdf_too_complex`. */
function textOf(open: OpenPdf, widget: PdfDict): string {
  const value = follow(open, inheritedAt(open, widget, "V"));
  const options = follow(open, inheritedAt(open, widget, "Opt"));
  const values = value instanceof PdfArray ? value.toArray().map((item) => follow(open, item)) : [value];
  const shown = options instanceof PdfArray && values.some((one) => one !== undefined) ? shownBy(open, options) : new Map<string, string>();
  const text = values
    .map((one) => stringOf(open, one))
    .map((one) => shown.get(one) ?? one)
    .join("\n");
  if (text.length > LONGEST_VALUE) throw new PadesError("pdf_too_complex", "Expected values that fit in their fields");
  return (flagsOf(open, widget) & PASSWORD) === 0 ? text : "*".repeat(text.length);
}

/** Source: ISO 32000-2 §12.7.5.4, table 234: an option is its value, or the value and what is shown. */
function shownBy(open: OpenPdf, options: PdfArray): ReadonlyMap<string, string> {
  return new Map(
    options.toArray().flatMap((item): [string, string][] => {
      const option = follow(open, item);
      if (!(option instanceof PdfArray)) return [];
      return [[stringOf(open, follow(open, option.at(0))), stringOf(open, follow(open, option.at(1)))]];
    }),
  );
}

function stringOf(open: OpenPdf, value: PdfObject | undefined): string {
  if (value instanceof PdfString) return value.asString();
  return value instanceof PdfStream ? PdfString.fromBytes(decodedData(value, decodingBudget(open))).asString() : "";
}
