import type { Envelope, GuestEnvelope, SignPage, SignRequest } from "@paraphe/contracts";
import { api } from "../../lib/api.ts";
import { ApiError } from "../../lib/api-error.ts";
import { fetchFile } from "../../lib/fetch-file.ts";
import { rememberMail } from "../../lib/service-rules.ts";

const path = (envelopeId: string, action: string) =>
  `/api/signature/envelopes/${envelopeId}/${action}`;

/** `by`: with a one-time key of the person's own, or with the organisation's in its hardware token. */
export type SignAttempt = { readonly key: string; readonly by: "person" | "hsm" };

/** What the reading and signing screen needs, whoever signs. */
export type SigningCalls = {
  /** Present state of the request; asked again while the document is being sealed, for the recipient it was shown for. */
  load(signal?: AbortSignal, recipientId?: string): Promise<GuestEnvelope | SignPage>;
  file(documentId: string, signal: AbortSignal): Promise<ArrayBuffer>;
  /** Its first page as a picture, smaller than the file and what shows it. */
  firstPage(documentId: string, signal: AbortSignal): Promise<Blob>;
  sign(request: SignRequest, attempt: SignAttempt): Promise<void>;
  decline(reason: string): Promise<void>;
  /** Asks the sender for more time; `told` is false when they were told already that day. */
  requestExtension(): Promise<{ readonly told: boolean }>;
};

/** The service answers 202 at the latest 3 s after a signature; a slow network gets more time than a plain call. */
const SIGN_TIMEOUT_MS = 30_000;

/** The calls of a guest, who holds a link. */
export function guestCalls(envelopeId: string, signatureToken: string): SigningCalls {
  return {
    load: async (signal) => {
      try {
        const request = await api.get<GuestEnvelope>(path(envelopeId, "guest/"), {
          signatureToken,
          signal,
        });
        rememberMail(request);
        return request;
      } catch (error) {
        if (error instanceof ApiError) rememberMail(error.details.body);
        throw error;
      }
    },
    file: async (documentId, signal) =>
      (
        await fetchFile(api, path(envelopeId, `documents/${documentId}/file/`), {
          signatureToken,
          signal,
        })
      ).arrayBuffer(),
    firstPage: (documentId, signal) =>
      fetchFile(api, path(envelopeId, `documents/${documentId}/first-page/`), {
        signatureToken,
        signal,
      }),
    sign: async (body, { key }) =>
      void (await api.post<Envelope>(path(envelopeId, "sign/"), {
        body,
        signatureToken,
        idempotencyKey: key,
        timeoutMs: SIGN_TIMEOUT_MS,
      })),
    decline: async (reason) =>
      void (await api.post(path(envelopeId, "decline/"), { body: { reason }, signatureToken })),
    requestExtension: () =>
      api.post(path(envelopeId, "request-extension/"), { body: {}, signatureToken }),
  };
}

/** The calls of a signed-in recipient. `view` notes that the documents are shown: a guest's code says so already. */
export function memberCalls(envelopeId: string): SigningCalls & { view(): Promise<void> } {
  return {
    view: async () => void (await api.post(path(envelopeId, "view/"), { body: {} })),
    load: (signal, recipientId) =>
      api.get<SignPage>(
        path(
          envelopeId,
          recipientId === undefined ? "sign-page/" : `sign-page/?recipient=${recipientId}`,
        ),
        { signal },
      ),
    file: async (documentId, signal) =>
      (
        await fetchFile(api, path(envelopeId, `documents/${documentId}/file/`), { signal })
      ).arrayBuffer(),
    firstPage: (documentId, signal) =>
      fetchFile(api, path(envelopeId, `documents/${documentId}/first-page/`), { signal }),
    sign: async (body, { key, by }) =>
      void (await api.post<Envelope>(
        path(envelopeId, by === "hsm" ? "hsm_sign/" : "sign_authenticated/"),
        {
          body,
          idempotencyKey: key,
          timeoutMs: SIGN_TIMEOUT_MS,
        },
      )),
    decline: async (reason) =>
      void (await api.post(path(envelopeId, "decline/"), { body: { reason } })),
    requestExtension: () => api.post(path(envelopeId, "request-extension/"), { body: {} }),
  };
}
