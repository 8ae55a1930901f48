import type { CorrectionAnswer, Envelope, Placement, SelfSignControl, SelfSignField, SignatureMark } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import { ApiError } from "../../../lib/api-error.ts";
import { fetchFile } from "../../../lib/fetch-file.ts";

const SELF_SIGN = "/api/signature/self-sign/";
/** 10 MB on a phone's network take minutes to leave. */
const UPLOAD_TIMEOUT_MS = 300_000;

export type SelfSigning = {
  readonly file: File;
  readonly title: string;
  readonly placement: Placement;
  readonly signature: SignatureMark;
  readonly fields: readonly SelfSignField[];
  readonly acceptsCopy: boolean;
};
export type SelfSigned = { readonly envelopeId: string; readonly file: Blob };

/** Asks what signing this file would say, before it is signed. */
export function controlFile(file: File, signal: AbortSignal): Promise<SelfSignControl> {
  return api.post<SelfSignControl>(`${SELF_SIGN}control/`, { body: formOf(file, {}), signal, timeoutMs: UPLOAD_TIMEOUT_MS });
}

/** Compares the file with its corrected copy, from a page on. */
export function compareFile(file: File, from: number, signal: AbortSignal): Promise<CorrectionAnswer> {
  return api.post<CorrectionAnswer>(`${SELF_SIGN}correction/?from=${from}`, {
    body: formOf(file, {}),
    signal,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
}

/** Signs the file; the same key makes the same request sent again harmless. Errors: `ApiError`. */
export async function signFile(
  { file, title, placement, signature, fields: written, acceptsCopy }: SelfSigning,
  idempotencyKey: string,
): Promise<SelfSigned> {
  const fields = {
    title,
    placement: JSON.stringify(placement),
    signature: JSON.stringify(signature),
    consent: "true",
    ...(written.length > 0 ? { fields: JSON.stringify(written) } : {}),
    ...(acceptsCopy ? { accept_normalised: "true" } : {}),
  };
  const response = await api.request("POST", SELF_SIGN, {
    body: formOf(file, fields),
    accept: "application/pdf",
    idempotencyKey,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  const envelopeId = response.headers.get("x-envelope-id") ?? "";
  return { envelopeId, file: await response.blob() };
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** Waits for a recorded signature to be sealed, and gives the file. A cut network only makes the wait longer. */
export async function untilSealed(envelopeId: string): Promise<Blob> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 1.6, LONGEST_WAIT_MS)) {
    const envelope = await api.get<Envelope>(`/api/signature/envelopes/${envelopeId}/`).catch(onlySilence);
    if (envelope?.status === "completed") return signedFile(envelopeId);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Gives the signed file again. */
export function signedFile(envelopeId: string): Promise<Blob> {
  return fetchFile(api, `/api/signature/envelopes/${envelopeId}/signed-document/`);
}

function onlySilence(error: unknown): null {
  if (error instanceof ApiError && (error.isUnreachable || error.status >= 500)) return null;
  throw error;
}

function formOf(file: File, fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file, file.name);
  return form;
}
