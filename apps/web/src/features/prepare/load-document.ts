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
