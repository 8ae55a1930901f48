import { PdfDict, type PdfObject, PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { formFields } from "../pdf/form-fields.ts";
import { arrayAt, dictAt, follow, type OpenPdf } from "../pdf/open-pdf.ts";

/**
 * Refuses a file whose catalog, form, pages, fields or annotations are streams: its data may be what another object shows, and would be
 * lost, or free to change, wherever the object is taken for the dictionary that it has to be.
 * Errors: PadesError `pdf_damaged`.
 * Source: ISO 32000-2 §7.7.2, §7.7.3, §12.5.2, §12.7.3, §12.7.4: dictionaries, all of them.
 */
export function refuseDisguisedStreams(open: OpenPdf): void {
  const pages = open.pdf.context.pages.getPages().map((ref) => follow(open, ref));
  const annotations = pages.flatMap((page) => (page instanceof PdfDict ? (arrayAt(open, page, "Annots")?.toArray() ?? []) : []));
  const form = dictAt(open, open.catalog, "AcroForm");
  const held: readonly (PdfObject | undefined)[] = [
    open.catalog,
    dictAt(open, open.catalog, "Pages"),
    form,
    form && dictAt(open, form, "DR"),
    ...pages,
    ...annotations.map((item) => follow(open, item)),
    ...formFields(open).map(({ dict }) => dict),
  ];
  if (held.some((object) => object instanceof PdfStream))
    throw new PadesError("pdf_damaged", "Expected dictionaries, met a stream", { clause: "ISO 32000-2 §7.3.8" });
}
