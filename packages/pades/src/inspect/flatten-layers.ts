import { PdfArray, PdfDict, PdfNumber, type PdfObject, PdfStream } from "@libpdf/core";
import { latinBytes } from "../pdf/incremental-update.ts";
import { latinText } from "../pdf/latin-text.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { spend } from "../pdf/work-budget.ts";
import { arrayAt, dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { inheritedAt } from "../pdf/page-geometry.ts";
import { emptyForm } from "./empty-form.ts";
import { withoutHidden } from "./hide-content.ts";
import { type Layers, readLayers } from "./layers.ts";
import { eachDict } from "./walk-objects.ts";

/** Annotation flag Hidden. Source: ISO 32000-2 §12.5.3. */
const HIDDEN = 2;

const READING_COST = 4;

/**
 * Makes what the layers show when the file is opened the only thing it can show: hidden content is taken out, the layers are gone.
 * Source: ISO 32000-2 §8.11.
 */
export function flattenLayers(open: OpenPdf): void {
  const layers = readLayers(open);
  if (!open.catalog.has("OCProperties")) return;
  for (const ref of open.pdf.context.pages.getPages()) {
    const page = follow(open, ref);
    if (page instanceof PdfDict) flattenPage(open, page, layers);
  }
  for (const dict of eachDict(open)) {
    if (dict instanceof PdfStream && nameAt(open, dict, "Subtype") === "Form") flattenStream(open, dict, layers);
    if (dict instanceof PdfStream && numberAt(open, dict, "PatternType") === 1) flattenStream(open, dict, layers);
    if (dict.has("OC")) takeOut(open, dict, layers);
  }
  open.catalog.delete("OCProperties");
}

function flattenPage(open: OpenPdf, page: PdfDict, layers: Layers): void {
  const resources = follow(open, inheritedAt(open, page, "Resources"));
  const isHidden = judge(open, resources instanceof PdfDict ? resources : undefined, layers);
  const flat = withoutHidden(pageContent(open, page), isHidden);
  if (flat !== null) page.set("Contents", open.pdf.context.register(new PdfStream([], latinBytes(flat))));
}

/** Gives a page's content streams as one text. Source: ISO 32000-2 §7.7.3.3 (they are one stream, cut between tokens). */
export function pageContent(open: OpenPdf, page: PdfDict): string {
  const contents = follow(open, page.get("Contents"));
  const parts: readonly (PdfObject | undefined)[] =
    contents instanceof PdfArray ? contents.toArray().map((item) => follow(open, item)) : [contents];
  return parts.flatMap((part) => (part instanceof PdfStream ? [contentText(open, part)] : [])).join("\n");
}

/** A content is read word by word, which costs more than decoding it. */
export function contentText(open: OpenPdf, stream: PdfStream): string {
  const data = decodedData(stream, decodingBudget(open));
  spend(decodingBudget(open), data.length * READING_COST);
  return latinText(data);
}

function flattenStream(open: OpenPdf, stream: PdfStream, layers: Layers): void {
  const resources = dictAt(open, stream, "Resources");
  if (!resources || !dictAt(open, resources, "Properties")) return;
  const flat = withoutHidden(contentText(open, stream), judge(open, resources, layers));
  if (flat !== null) stream.setData(latinBytes(flat));
}

function judge(open: OpenPdf, resources: PdfDict | undefined, layers: Layers): (property: string) => boolean {
  const properties = resources ? dictAt(open, resources, "Properties") : undefined;
  return (property) => properties !== undefined && properties.has(property) && !layers.isShown(properties.get(property));
}

/** A hidden image or form becomes an empty form; a hidden annotation is marked so. */
function takeOut(open: OpenPdf, dict: PdfDict, layers: Layers): void {
  const shown = layers.isShown(dict.get("OC"));
  dict.delete("OC");
  if (shown) return;
  if (!(dict instanceof PdfStream)) {
    if (arrayAt(open, dict, "Rect")) dict.set("F", PdfNumber.of((numberAt(open, dict, "F") ?? 0) | HIDDEN));
    return;
  }
  emptyForm(dict);
}
