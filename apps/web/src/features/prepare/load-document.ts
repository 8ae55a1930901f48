import type { CorrectionAnswer } from "@paraphe/contracts";
import { api } from "../../lib/api.ts";
import { fetchFile } from "../../lib/fetch-file.ts";

/** Gives the bytes of a draft's file. */
export async function loadDocument(
  place: { readonly envelopeId: string; readonly documentId: string },
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const file = await fetchFile(api, `/api/signature/envelopes/${place.envelopeId}/documents/${place.documentId}/file/`, { signal });
  return file.arrayBuffer();
}

/** Compares a draft's file with its corrected copy, from a page on. */
export function compareDocument(
  { envelopeId, documentId, from }: { readonly envelopeId: string; readonly documentId: string; readonly from: number },
  signal: AbortSignal,
): Promise<CorrectionAnswer> {
  return api.get<CorrectionAnswer>(`/api/signature/envelopes/${envelopeId}/documents/${documentId}/correction/?from=${from}`, { signal });
}
