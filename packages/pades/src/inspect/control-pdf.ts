import { PadesError } from "../pades-error.ts";
import { openPdf } from "../pdf/open-pdf.ts";
import type { PdfInspection } from "../pdf/types.ts";
import { examinePdf, refusingUnreadable } from "./inspect-pdf.ts";
import { normalisePdf } from "./normalise-pdf.ts";
import { type RehearsalMeans, rehearseOpened } from "./rehearse.ts";

/**
 * Looks at an uploaded PDF as `inspectPdf` does, and makes sure that it can be finished before anybody signs: it, or its corrected copy, is
 * rehearsed. A file that is `ok` is parsed once for both.
 * Errors: those of `inspectPdf` and `normalisePdf`; PadesError `pdf_unfinishable`.
 */
export async function controlPdf(bytes: Uint8Array, means: RehearsalMeans): Promise<PdfInspection> {
  const { open, inspection } = await examinePdf(bytes);
  const source = inspection.result === "ok" ? open : await openPdf(await normalisePdf(bytes, { fonts: means.fonts }));
  const failure = await refusingUnreadable(() => rehearseOpened(source, { means, pageNumber: emptiestPage(inspection) }));
  if (failure) throw new PadesError("pdf_unfinishable", `Expected a file that can be finished; met ${failure.reason} (${failure.step})`);
  return inspection;
}

/** What is new on a page since the first signature may leave no room there, and some on another. */
function emptiestPage({ pageCount, covered }: PdfInspection): number {
  const parts = new Map(covered.map(({ pageNumber, added, filled }) => [pageNumber, added + filled]));
  const pages = Array.from({ length: pageCount }, (_, index) => index + 1);
  return pages.reduce((best, page) => ((parts.get(page) ?? 0) < (parts.get(best) ?? 0) ? page : best), 1);
}
