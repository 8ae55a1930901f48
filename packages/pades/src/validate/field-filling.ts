import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream } from "@libpdf/core";
import type { FormField } from "../pdf/form-fields.ts";
import { arrayAt, follow, nameAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { hasPlainLook } from "./signature-looks.ts";

/** Entries of a text, button or choice field that filling changes. Source: ISO 32000-2 §12.7.4. */
export const FILLING: ReadonlySet<string> = new Set(["V", "AP", "AS", "I"]);

/** Where a field is shown, when that stands apart from the field. */
export type Widget = { readonly dict: PdfDict; readonly ref: PdfRef };

/** Gives the widgets that stand apart from their field, in objects of their own. Source: ISO 32000-2 §12.7.4.1, table 226 (Kids). */
export function widgetsOf(open: OpenPdf, { dict }: FormField): readonly Widget[] {
  return (arrayAt(open, dict, "Kids")?.toArray() ?? []).flatMap((ref) => {
    const widget = follow(open, ref);
    return ref instanceof PdfRef && widget instanceof PdfDict ? [{ dict: widget, ref }] : [];
  });
}

/** Some programs add appearance characteristics that say nothing. Source: ISO 32000-2 §12.5.6.19, table 192. */
export function getsEmptyCharacteristics(
  open: { readonly before: OpenPdf; readonly after: OpenPdf },
  before: PdfDict,
  after: PdfDict,
): boolean {
  const now = follow(open.after, after.get("MK"));
  return follow(open.before, before.get("MK")) === undefined && now instanceof PdfDict && !(now instanceof PdfStream) && now.size === 0;
}

/**
 * Says whether what filling writes is a value of its field's type and a look, and nothing that could be painted under another name: no
 * stream as a value (resources may name a field as their dictionary), no look that is anything but a dictionary of streams.
 * Source: ISO 32000-2 §12.7.5.2 to §12.7.5.4.
 */
export function isFilling(open: OpenPdf, field: FormField): boolean {
  const { type, dict } = field;
  const listed = (value: PdfObject | undefined, kind: PdfObject["type"]): boolean =>
    value?.type === kind || (value instanceof PdfArray && value.toArray().every((item) => follow(open, item)?.type === kind));
  const [value, chosen] = ["V", "I"].map((key) => follow(open, dict.get(key)));
  const isValue =
    type === "Btn" ? value?.type === "name" : type === "Ch" ? listed(value, "string") : type === "Tx" && value?.type === "string";
  const isChoice = chosen === undefined || (listed(chosen, "number") && type === "Ch");
  const isLook = (widget: PdfDict): boolean => {
    const state = follow(open, widget.get("AS"));
    return (state === undefined || (state.type === "name" && type === "Btn")) && hasPlainLook(open, widget);
  };
  return (value === undefined || isValue) && isChoice && [dict, ...widgetsOf(open, field).map((widget) => widget.dict)].every(isLook);
}

/** Says whether a signature's value is a document time-stamp, by what its bytes are judged by, whatever it calls itself. Source: EN 319 142-1 §5.4.3. */
export function isTimestamp(open: OpenPdf, value: PdfDict): boolean {
  return nameAt(open, value, "SubFilter") === "ETSI.RFC3161";
}
