import { type Envelope, IDEMPOTENCY_HOURS, type UpdateEnvelopeRequest } from "@paraphe/contracts";
import type { PreparedCall } from "../../../../lib/api/api-client.ts";
import { ApiError } from "../../../../lib/api/api-error.ts";
import { api } from "../../../../lib/api/api.ts";
import { storeInTab, keptInTab } from "../../../../lib/browser/tab-memory.ts";
import { upload } from "../../../../lib/api/upload.ts";
import { hashFile } from "../../../../lib/browser/hash-file.ts";

/** Keepalive bodies may weigh 64 KiB together; the rest is for headers (Fetch §4.6). */
const KEEPALIVE_BYTES = 60_000;

export function fitsKeepalive(body: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(body)).length <= KEEPALIVE_BYTES;
}

/** The browser completes a keepalive call even when the page is closed. */
function sendKeptAlive({ url, ...call }: PreparedCall): Promise<Response> {
  return fetch(url, { ...call, credentials: "include", keepalive: true });
}

type FirstRequest = {
  readonly key: string;
  readonly title: string;
  readonly remindEveryDays: number | null;
};
type Kept = FirstRequest & { readonly name: string; readonly sha256: string; readonly at: number };

const NAME = "envelope-first-file";
const FORGOTTEN_MS = IDEMPOTENCY_HOURS * 3_600_000;

/** After a lost answer a first file goes under the same key, so that no second draft is made. */
export class FirstUpload {
  readonly #owner: string;
  #pending: { readonly file: File; readonly request: FirstRequest } | null = null;

  constructor(owner: string) {
    this.#owner = owner;
  }

  /** The file whose answer is awaited; another would make a second draft. */
  readonly waitingFor = (): File | null => this.#pending?.file ?? null;

  /** The words of the first attempt, where there was one. */
  readonly requestFor = async (
    file: File,
    start: Omit<FirstRequest, "key">,
  ): Promise<FirstRequest> => {
    if (this.#pending?.file === file) return this.#pending.request;
    const sha256 = await hashFile(file);
    const kept = keptInTab(NAME, this.#owner);
    const isSame =
      isKept(kept) &&
      kept.sha256 === sha256 &&
      kept.name === file.name &&
      Date.now() - kept.at < FORGOTTEN_MS;
    const { key, title, remindEveryDays } = isSame ? kept : { key: crypto.randomUUID(), ...start };
    const request = { key, title, remindEveryDays };
    const value: Kept = { ...request, name: file.name, sha256, at: isSame ? kept.at : Date.now() };
    storeInTab(NAME, { owner: this.#owner, value });
    this.#pending = { file, request };
    return request;
  };

  /** Ends the wait: the file was answered, or is no longer wanted. */
  readonly end = (file: File): void => {
    if (this.#pending?.file !== file) return;
    this.#pending = null;
    storeInTab(NAME, { owner: this.#owner, value: null });
  };
}

/** True without an answer, with a gateway's, or while the draft is still being made. */
export function mayBeMade(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return (
    error.isUnreachable ||
    error.status >= 500 ||
    error.status === 429 ||
    error.code === "idempotency_conflict"
  );
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== "object" || value === null) return false;
  const { key, title, remindEveryDays, name, sha256, at } = value as Readonly<
    Record<string, unknown>
  >;
  const isEvery = remindEveryDays === null || typeof remindEveryDays === "number";
  return (
    isEvery &&
    typeof at === "number" &&
    [key, title, name, sha256].every((text) => typeof text === "string")
  );
}

const ENVELOPES = "/api/signature/envelopes/";
/** The call waits while the service prepares a revision with every field. */
const SEND_TIMEOUT_MS = 60_000;

export const envelopeCalls = {
  load: (id: string) => api.get<Envelope>(`${ENVELOPES}${id}/`),
  patch: (envelope: Envelope, body: UpdateEnvelopeRequest) =>
    api.patch<Envelope>(`${ENVELOPES}${envelope.id}/`, {
      body,
      version: envelope.version,
      ...(fitsKeepalive(body) ? { transport: sendKeptAlive } : {}),
    }),
  /** Sends only the version this page shows. */
  send: (envelope: Envelope, idempotencyKey: string) =>
    api.post<Envelope>(`${ENVELOPES}${envelope.id}/send/`, {
      body: {},
      version: envelope.version,
      idempotencyKey,
      timeoutMs: SEND_TIMEOUT_MS,
    }),
  create: (
    file: File,
    options: { first: FirstRequest; signal: AbortSignal; onProgress: (fraction: number) => void },
  ) =>
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
  addFile: (
    envelope: Envelope,
    file: File,
    options: { signal: AbortSignal; onProgress: (fraction: number) => void },
  ) =>
    upload<Envelope>(
      api,
      { method: "PATCH", path: `${ENVELOPES}${envelope.id}/` },
      {
        body: filesForm(file),
        version: envelope.version,
        signal: options.signal,
        onProgress: options.onProgress,
      },
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
