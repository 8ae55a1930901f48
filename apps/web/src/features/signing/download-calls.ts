import type { downloadAnswer } from "@paraphe/contracts";
import type { z } from "zod/mini";
import { api } from "../../lib/api.ts";
import { fetchFile } from "../../lib/fetch-file.ts";
import { saveBlob } from "../../lib/save-blob.ts";

type Download = z.infer<typeof downloadAnswer>;

/**
 * Downloads the signed document and saves it under `name`. Several documents come as one zip, which keeps that ending.
 * Errors: those of the two calls.
 */
export async function downloadSigned(
  envelopeId: string,
  options: { readonly name: string; readonly signatureToken?: string },
): Promise<void> {
  const { signatureToken } = options;
  const { download_url, file_name } = await api.get<Download>(`/api/signature/envelopes/${envelopeId}/download/`, { signatureToken });
  const blob = await fetchFile(api, download_url, { signatureToken });
  saveBlob(blob, file_name.endsWith(".zip") ? options.name.replace(/\.pdf$/, ".zip") : options.name);
}
