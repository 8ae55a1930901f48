import { PdfArray, type PdfDict, type PdfObject, PdfStream } from "@libpdf/core";
import { removeActions } from "../inspect/active-content.ts";
import { drawValues } from "../inspect/draw-values.ts";
import {
  annotationsOf,
  pagesOf,
  requireBearableAnnotations,
} from "../inspect/flatten-annotations.ts";
import { pageContent } from "../inspect/flatten-layers.ts";
import { settleFields, unsettledFields } from "../inspect/form-values.ts";
import { contentOperations } from "../inspect/hide-content.ts";
import { addLooks, createLooks, type Looks } from "../inspect/shown-looks.ts";
import { formFields } from "../pdf/form-fields.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { dictAt, follow, nameAt, type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";

/** Content without an unmatched `Q`, and how many states it leaves saved. */
type BalancedContent = {
  readonly text: string;
  readonly isChanged: boolean;
  readonly open: number;
};

/**
 * Removes each unmatched `Q`, which readers ignore: it would restore a state saved before the
 * content.
 * Source: ISO 32000-2 §8.4.2.
 */
export function balanceContent(text: string): BalancedContent {
  let open = 0;
  let from = 0;
  let kept = "";
  for (const { operator, start, end } of contentOperations(text)) {
    if (operator === "q") open += 1;
    else if (operator === "Q" && open > 0) open -= 1;
    else if (operator === "Q") {
      kept += `${text.slice(from, start)}\n`;
      from = end;
    }
  }
  return { text: kept + text.slice(from), isChanged: from > 0, open };
}

/**
 * What marks a file as signed, what acts, and what paper cannot carry: attachments, the PDF/A
 * claim.
 */
const LEFT_OUT = [
  "AcroForm",
  "Perms",
  "DSS",
  "OpenAction",
  "AA",
  "AF",
  "Collection",
  "Metadata",
  "Legal",
  "Extensions",
];

/**
 * A copy of a signed file with all that is displayed as part of its pages: no signature, form or
 * action.
 * Shape: each page's content restores the graphics state, so more can be drawn after it. `title`:
 * the copy's.
 * Errors: those of `openPdf`; `pdf_too_complex`.
 * Source: ISO 32000-2 §12.5.5, §12.7.
 */
export async function flattenForPrint(
  bytes: Uint8Array,
  { fonts, title }: { readonly fonts: Pick<Fonts, "text">; readonly title: string },
): Promise<Uint8Array> {
  const open = await withValues(await openPdf(bytes), fonts);
  requireBearableAnnotations(open);
  forgetSignatures(open);
  removeActions(open);
  dictAt(open, open.catalog, "Names")?.delete("EmbeddedFiles");
  for (const key of LEFT_OUT) open.catalog.delete(key);
  const pages = pagesOf(open);
  const looks = createLooks(open, pages);
  const saving = open.pdf.context.register(new PdfStream([], latinBytes("q\n")));
  for (const page of new Set(pages)) flattenPage(open, page, { looks, saving });
  open.pdf.setTitle(title);
  return open.pdf.save();
}

/** The structure tree may still name signature fields. */
function forgetSignatures(open: OpenPdf): void {
  for (const { dict, type, parents } of formFields(open)) {
    if (type !== "Sig") continue;
    for (const one of [dict, ...parents.map((parent) => parent.dict)]) one.delete("V");
  }
}

/** Gives fields that readers draw themselves an appearance of ours. */
async function withValues(open: OpenPdf, fonts: Pick<Fonts, "text">): Promise<OpenPdf> {
  if (unsettledFields(open) === 0) return open;
  settleFields(open, fonts);
  return openPdf(await drawValues(await open.pdf.save(), fonts));
}

function flattenPage(
  open: OpenPdf,
  page: PdfDict,
  { looks, saving }: { readonly looks: Looks; readonly saving: PdfObject },
): void {
  const listed = annotationsOf(open, page);
  const drawn = listed.flatMap(({ dict }) => looks.of(dict) ?? []);
  page.set(
    "Annots",
    new PdfArray(listed.flatMap(({ item, dict }) => (isPlainLink(open, dict) ? [item] : []))),
  );
  page.delete("AA");
  if (drawn.length > 0) addLooks(open, page, drawn);
  const { text, isChanged, open: unclosed } = balanceContent(pageContent(open, page));
  const own = isChanged
    ? [open.pdf.context.register(new PdfStream([], latinBytes(text)))]
    : contentsOf(open, page);
  const closing = `\n${"Q\n".repeat(unclosed + 1)}${drawn.map(({ operators }) => operators).join("")}`;
  page.set(
    "Contents",
    new PdfArray([
      saving,
      ...own,
      open.pdf.context.register(new PdfStream([], latinBytes(closing))),
    ]),
  );
}

/** A link without an appearance still works on screen. */
const isPlainLink = (open: OpenPdf, annotation: PdfDict): boolean =>
  nameAt(open, annotation, "Subtype") === "Link" && !annotation.has("AP");

function contentsOf(open: OpenPdf, page: PdfDict): readonly PdfObject[] {
  const listed = page.get("Contents");
  const contents = follow(open, listed);
  if (contents instanceof PdfArray)
    return contents.toArray().filter((item) => follow(open, item) instanceof PdfStream);
  return listed && contents instanceof PdfStream ? [listed] : [];
}
