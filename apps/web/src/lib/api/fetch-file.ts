import type { ApiClient, CallOptions } from "./api-client.ts";

/** 50 MB on a slow network. */
const FILE_TIMEOUT_MS = 120_000;

/** Errors: `ApiError`; an empty file is 'Fichier introuvable' (specification §8). */
export async function fetchFile(
  client: ApiClient,
  url: string,
  options: CallOptions = {},
): Promise<Blob> {
  const response = await client.request("GET", url, {
    timeoutMs: FILE_TIMEOUT_MS,
    accept: "application/pdf, application/zip, */*",
    ...options,
  });
  const blob = await response.blob();
  if (blob.size === 0) throw new Error("Fichier introuvable");
  return blob;
}
