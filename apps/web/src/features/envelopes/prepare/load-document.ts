import type { CorrectionAnswer } from "@paraphe/contracts";
import { api, apiUrl } from "../../../lib/api/api.ts";
import { fetchFile } from "../../../lib/api/fetch-file.ts";
import type { PdfSource } from "../../../pdf/use-pdf.ts";

type DocumentPlace = { readonly envelopeId: string; readonly documentId: string };

const pathOf = ({ envelopeId, documentId }: DocumentPlace) =>
  `/api/signature/envelopes/${envelopeId}/documents/${documentId}`;

export async function loadDocument(
  place: DocumentPlace,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  return (await fetchFile(api, `${pathOf(place)}/file/`, { signal })).arrayBuffer();
}

export function pdfSource(place: DocumentPlace): PdfSource {
  return {
    key: place.documentId,
    load: (signal) => loadDocument(place, signal),
    firstPage: (signal) => fetchFile(api, `${pathOf(place)}/first-page/`, { signal }),
  };
}

export function firstPageUrl(place: DocumentPlace): string {
  return apiUrl(`${pathOf(place)}/first-page/`);
}

/** Compares a draft's file with its corrected copy, from a page on. */
export function compareDocument(
  { from, ...place }: DocumentPlace & { readonly from: number },
  signal: AbortSignal,
): Promise<CorrectionAnswer> {
  return api.get<CorrectionAnswer>(`${pathOf(place)}/correction/?from=${from}`, { signal });
}
