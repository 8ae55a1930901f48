import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import { upload } from "../../../lib/upload.ts";
import type { FirstRequest } from "./first-upload.ts";
import { fitsKeepalive, sendKeptAlive } from "./keepalive.ts";

const ENVELOPES = "/api/signature/envelopes/";
/** A revision with every field is prepared while the call waits: longer than a plain call on a big file. */
const SEND_TIMEOUT_MS = 60_000;

/** The calls of the preparation. */
export const envelopeCalls = {
  load: (id: string) => api.get<Envelope>(`${ENVELOPES}${id}/`),
  patch: (envelope: Envelope, body: UpdateEnvelopeRequest) =>
    api.patch<Envelope>(`${ENVELOPES}${envelope.id}/`, {
      body,
      version: envelope.version,
      ...(fitsKeepalive(body) ? { transport: sendKeptAlive } : {}),
    }),
  /** Sends what this page shows, and nothing that another page made of it since. */
  send: (envelope: Envelope, idempotencyKey: string) =>
    api.post<Envelope>(`${ENVELOPES}${envelope.id}/send/`, {
      body: {},
      version: envelope.version,
      idempotencyKey,
      timeoutMs: SEND_TIMEOUT_MS,
    }),
  /** Makes the draft with its first file, once for a key. */
  create: (file: File, options: { first: FirstRequest; signal: AbortSignal; onProgress: (fraction: number) => void }) =>
    upload<Envelope>(
      api,
      { method: "POST", path: ENVELOPES },
      {
        body: filesForm(file, options.first),
        idempotencyKey: options.first.key,
        signal: options.signal,
        onProgress: options.onProgress,
      },
    ),
  addFile: (envelope: Envelope, file: File, options: { signal: AbortSignal; onProgress: (fraction: number) => void }) =>
    upload<Envelope>(
      api,
      { method: "PATCH", path: `${ENVELOPES}${envelope.id}/` },
      { body: filesForm(file), version: envelope.version, signal: options.signal, onProgress: options.onProgress },
    ),
};

function filesForm(file: File, start?: FirstRequest): FormData {
  const form = new FormData();
  if (start) {
    form.append("title", start.title);
    form.append("reminders", JSON.stringify({ every_days: start.remindEveryDays }));
  }
  form.append("files", file, file.name);
  return form;
}
