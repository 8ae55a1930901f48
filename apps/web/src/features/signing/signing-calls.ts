import type { Envelope, GuestEnvelope, SignPage, SignRequest } from "@paraphe/contracts";
import type { ComponentType } from "react";
import { api } from "../../lib/api/api.ts";
import { ApiError } from "../../lib/api/api-error.ts";
import { fetchFile } from "../../lib/api/fetch-file.ts";
import { rememberMail } from "../../lib/api/service-rules.ts";
import { confirmedCall } from "../accounts/confirmed-call.ts";
import type { PersonInputProps } from "../envelopes/prepare/recipients/person-input.tsx";

const path = (envelopeId: string, action: string) =>
  `/api/signature/envelopes/${envelopeId}/${action}`;

/** `by`: a one-time key of the signer, or the organisation's hardware token. */
export type SignAttempt = { readonly key: string; readonly by: "person" | "hsm" };

export type SigningCalls = {
  /** Of an account: proposes its contacts and colleagues. The guest's build goes without. */
  readonly PersonInput?: ComponentType<PersonInputProps>;
  /** Polled while the document is sealed, for that recipient. */
  load(signal?: AbortSignal, recipientId?: string): Promise<GuestEnvelope | SignPage>;
  file(documentId: string, signal: AbortSignal): Promise<ArrayBuffer>;
  firstPage(documentId: string, signal: AbortSignal): Promise<Blob>;
  sign(request: SignRequest, attempt: SignAttempt): Promise<void>;
  decline(reason: string): Promise<void>;
  /** An act on the step: `visa/`. */
  post(action: string, body: object): Promise<unknown>;
  /** `told`: false when the sender was notified that day already. */
  requestExtension(): Promise<{ readonly told: boolean }>;
};

/** The service answers 202 within 3 s; slow networks get more. */
const SIGN_TIMEOUT_MS = 30_000;

/** `signatureToken`: of the mailed link. */
export function guestCalls(envelopeId: string, signatureToken: string): SigningCalls {
  const post: SigningCalls["post"] = (action, body) =>
    api.post(path(envelopeId, action), { body, signatureToken });
  return {
    ...actsBy(post),
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
  };
}

function actsBy(
  post: SigningCalls["post"],
): Pick<SigningCalls, "post" | "decline" | "requestExtension"> {
  return {
    post,
    decline: async (reason) => void (await post("decline/", { reason })),
    requestExtension: () =>
      post("request-extension/", {}) as ReturnType<SigningCalls["requestExtension"]>,
  };
}

export function memberCalls(envelopeId: string): SigningCalls & { view(): Promise<void> } {
  let shown = "";
  const post: SigningCalls["post"] = (action, body) =>
    api.post(path(envelopeId, `${action}${shown}`), { body });
  return {
    ...actsBy(post),
    view: async () => void (await post("view/", {})),
    load: async (signal, recipientId) => {
      const of = recipientId === undefined ? "" : `?recipient=${recipientId}`;
      const page = await api.get<SignPage>(path(envelopeId, `sign-page/${of}`), { signal });
      shown = `?recipient=${page.recipient.id}`;
      return page;
    },
    file: async (documentId, signal) =>
      (
        await fetchFile(api, path(envelopeId, `documents/${documentId}/file/`), { signal })
      ).arrayBuffer(),
    firstPage: (documentId, signal) =>
      fetchFile(api, path(envelopeId, `documents/${documentId}/first-page/`), { signal }),
    sign: async (body, { key, by }) =>
      void (await confirmedCall(() =>
        api.post<Envelope>(path(envelopeId, by === "hsm" ? "hsm_sign/" : "sign_authenticated/"), {
          body,
          idempotencyKey: key,
          timeoutMs: SIGN_TIMEOUT_MS,
        }),
      )),
  };
}
