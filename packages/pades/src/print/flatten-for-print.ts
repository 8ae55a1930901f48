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

/** A content that closes no graphics state that it did not open, and how many of its own it leaves open. */
type BalancedContent = {
  readonly text: string;
  readonly isChanged: boolean;
  readonly open: number;
};

/**
 * Takes out of a page's content each `Q` that readers pass over because nothing is saved: once something is saved before the content, so
 * that more can be drawn behind it, such a `Q` would not be passed over any more.
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

/** What says that a file is signed, what acts, and what a copy on paper cannot carry: attached files, and the claim to conform to PDF/A. */
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
 * Gives a copy of a signed file in which everything that is displayed is part of its pages: fields, signatures, notes. It carries no
 * signature, no form and no action.
 * Shape: the content of every page ends in the graphics state that it began in, so that more can be drawn behind it. `title` is the copy's.
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

/** What a document's structure still names of its fields holds no signature any more. */
function forgetSignatures(open: OpenPdf): void {
  for (const { dict, type, parents } of formFields(open)) {
    if (type !== "Sig") continue;
    for (const one of [dict, ...parents.map((parent) => parent.dict)]) one.delete("V");
  }
}

/** Fields of which readers make the look themselves have one of ours. */
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

/** A link without a look of its own still leads where it did, for whoever reads the copy on a screen. */
const isPlainLink = (open: OpenPdf, annotation: PdfDict): boolean =>
  nameAt(open, annotation, "Subtype") === "Link" && !annotation.has("AP");

function contentsOf(open: OpenPdf, page: PdfDict): readonly PdfObject[] {
  const listed = page.get("Contents");
  const contents = follow(open, listed);
  if (contents instanceof PdfArray)
    return contents.toArray().filter((item) => follow(open, item) instanceof PdfStream);
  return listed && contents instanceof PdfStream ? [listed] : [];
}
