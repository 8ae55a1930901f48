import { PdfArray, PdfDict, PdfName, type PdfObject } from "@libpdf/core";
import { lacksLetters } from "../annotations/draw-annotations.ts";
import { PadesError } from "../pades-error.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import type { Fonts } from "../pdf/types.ts";
import { writeName } from "../pdf/write-object.ts";
import { removeActions } from "./active-content.ts";
import { drawValues, settleFields } from "./form-values.ts";
import {
  annotationsOfPages,
  flattenAnnotations,
  nameAnnotations,
  refuseUndrawn,
} from "./flatten-annotations.ts";
import { flattenLayers } from "./flatten-layers.ts";
import { examinePdf, inspectPdf, refusingUnreadable } from "./inspect-pdf.ts";
import { adoptPages, settleReaders } from "./reader-dependent.ts";

const ENCODER = new TextEncoder();

/** The library would encode names as UTF-8, while contents use the original bytes. */
function writeNamesExactly(open: OpenPdf): void {
  const waiting: PdfObject[] = [
    open.trailer,
    ...open.pdf.context.registry.getLoadedObjects().values(),
  ];
  const seen = new Set<PdfObject>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (value instanceof PdfName) writeExactBytes(value);
    if (!(value instanceof PdfArray || value instanceof PdfDict) || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof PdfArray) for (const item of value) waiting.push(item);
    else for (const [key, item] of value) waiting.push(key, item);
  }
}

/** The same bytes are the same name in every file. */
function writeExactBytes(name: PdfName): void {
  Reflect.set(name, "cachedBytes", ENCODER.encode(writeName(name.value)));
}

/**
 * Rewrites an unsigned file that cannot be signed as it is; a sound one comes back unchanged.
 * Shape: `fonts` draw field values where `form_values` is found; the result is `ok` for
 * `inspectPdf`.
 * Errors: those of `inspectPdf`; `pdf_undrawn_annotations`, `pdf_damaged`, `pdf_too_complex` for
 * what cannot be drawn or is not sound; TypeError when `fonts` are missing.
 * Source: security §2.
 */
export async function normalisePdf(
  bytes: Uint8Array,
  { fonts }: { readonly fonts?: Pick<Fonts, "text"> } = {},
): Promise<Uint8Array> {
  const { open, inspection } = await examinePdf(bytes);
  if (inspection.result === "ok") return bytes;
  if (signedFields(open).length > 0)
    throw new PadesError("pdf_damaged", "Expected an unsigned file to rewrite");
  const { bytes: written, isWaiting } = await refusingUnreadable(() => rewrite(open, fonts));
  const drawn = await drawValues(written, fonts);
  const rewritten = isWaiting ? await refusingUnreadable(() => withAnnotationsFlat(drawn)) : drawn;
  const again = await inspectPdf(rewritten);
  if (again.result !== "ok" || again.pageCount !== inspection.pageCount) {
    throw new PadesError("pdf_damaged", "Expected the rewritten file to be sound");
  }
  return rewritten;
}

/** Annotations overlap in order, so all wait for a second update with text. */
async function rewrite(
  open: OpenPdf,
  fonts: Pick<Fonts, "text"> | undefined,
): Promise<{ bytes: Uint8Array; isWaiting: boolean }> {
  refuseUndrawn(open, fonts);
  adoptPages(open);
  removeActions(open);
  settleReaders(open);
  settleFields(open, fonts);
  flattenLayers(open);
  const isWaiting = annotationsOfPages(open).some(({ dict }) => lacksLetters(open, dict));
  nameAnnotations(open, (annotation) => lacksLetters(open, annotation));
  if (!isWaiting) flattenAnnotations(open);
  if (open.blocker === "encrypted") removeProtection(open);
  return { bytes: await write(open), isWaiting };
}

async function withAnnotationsFlat(bytes: Uint8Array): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  flattenAnnotations(open);
  return write(open);
}

async function write(open: OpenPdf): Promise<Uint8Array> {
  // The library returns the broken bytes of an unchanged file.
  const pages = open.catalog.get("Pages");
  if (pages) open.catalog.set("Pages", pages);
  // Rebuilding readers find it by type, which some writers omit. Source: ISO 32000-2 §7.7.2, table
  // 29.
  open.catalog.set("Type", PdfName.of("Catalog"));
  writeNamesExactly(open);
  return open.pdf.save();
}

/** Whoever accepts the copy asks for one without protection. */
function removeProtection(open: OpenPdf): void {
  const rights = open.pdf.context.info.securityHandler?.permissions;
  if (rights) Object.assign(rights, { modify: true });
  open.pdf.removeProtection();
}
