import type {
  CorrectionAnswer,
  Envelope,
  Placement,
  SelfSignControl,
  SelfSignField,
  SignatureMark,
} from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError, callMessage, serverSentence } from "../../../lib/api/api-error.ts";
import { api } from "../../../lib/api/api.ts";
import { fetchFile } from "../../../lib/api/fetch-file.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { slugify } from "../../../lib/format/slugify.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { confirmedCall } from "../../accounts/confirmed-call.ts";
import type { ChosenMark } from "../marks/chosen-mark.ts";
import { markRefusal } from "../sign-outcome.ts";

export type Signed = { readonly envelopeId: string; readonly file: Blob; readonly title: string };

const SELF_SIGN = "/api/signature/self-sign/";
/** 10 MB on a slow phone network. */
const UPLOAD_TIMEOUT_MS = 300_000;

type SelfSigning = {
  readonly file: File;
  readonly title: string;
  readonly placement: Placement;
  readonly signature: SignatureMark;
  readonly fields: readonly SelfSignField[];
  readonly acceptsCopy: boolean;
};
type SelfSigned = { readonly envelopeId: string; readonly file: Blob };

function controlFile(file: File, signal: AbortSignal): Promise<SelfSignControl> {
  return api.post<SelfSignControl>(`${SELF_SIGN}control/`, {
    body: formOf(file, {}),
    signal,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
}

export function compareFile(
  file: File,
  from: number,
  signal: AbortSignal,
): Promise<CorrectionAnswer> {
  return api.post<CorrectionAnswer>(`${SELF_SIGN}correction/?from=${from}`, {
    body: formOf(file, {}),
    signal,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
}

/** Errors: `ApiError`. */
async function signFile(
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
  const response = await confirmedCall(() =>
    api.request("POST", SELF_SIGN, {
      body: formOf(file, fields),
      accept: "application/pdf",
      idempotencyKey,
      timeoutMs: UPLOAD_TIMEOUT_MS,
    }),
  );
  const envelopeId = response.headers.get("x-envelope-id") ?? "";
  return { envelopeId, file: await response.blob() };
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** A cut network only prolongs the wait, because the signature is recorded. */
async function untilSealed(envelopeId: string): Promise<Blob> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 1.6, LONGEST_WAIT_MS)) {
    const envelope = await api
      .get<Envelope>(`/api/signature/envelopes/${envelopeId}/`)
      .catch(onlySilence);
    if (envelope?.status === "completed") return signedFile(envelopeId);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function signedFile(envelopeId: string): Promise<Blob> {
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

/** Specification §8. */
export const FAILURE = "Impossible de signer le document";

export type SignPhase =
  | { readonly kind: "placing" }
  | { readonly kind: "signing" | "sealing" }
  /** `reason`: the service's sentence. */
  | { readonly kind: "failed"; readonly reason: string | null }
  | { readonly kind: "signed"; readonly envelopeId: string; readonly file: Blob };
type Asked = Omit<SelfSigning, "signature"> & { readonly mark: ChosenMark };

/** After a silence the same request is sent again under the same key. */
export function useSelfSign() {
  const client = useQueryClient();
  const attempt = useRef<{ body: string; key: string } | null>(null);
  const [phase, setPhase] = useState<SignPhase>({ kind: "placing" });

  const finish = ({ envelopeId, file }: SelfSigned, title: string): void => {
    saveBlob(file, signedName(title));
    setPhase({ kind: "signed", envelopeId, file });
  };
  const wait = async (envelopeId: string, title: string): Promise<void> => {
    setPhase({ kind: "sealing" });
    finish({ envelopeId, file: await untilSealed(envelopeId) }, title);
  };
  const sign = async ({ mark, ...asked }: Asked): Promise<void> => {
    if (phase.kind === "signing" || phase.kind === "sealing") return;
    const body = JSON.stringify([
      asked.title,
      asked.placement,
      asked.fields,
      mark.mark,
      asked.acceptsCopy,
      asked.file.name,
      asked.file.lastModified,
    ]);
    if (attempt.current?.body !== body) attempt.current = { body, key: crypto.randomUUID() };
    setPhase({ kind: "signing" });
    try {
      finish(await signFile({ ...asked, signature: mark.mark }, attempt.current.key), asked.title);
      attempt.current = null;
    } catch (error) {
      // The time-stamp authority is away: the consent is recorded, the signature follows.
      const waiting = waitingEnvelope(error);
      if (waiting !== null) return wait(waiting, asked.title).catch(fail);
      if (!(error instanceof ApiError && error.isUnreachable)) attempt.current = null;
      fail(error);
    } finally {
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    }
  };
  const fail = (error: unknown): void => {
    setPhase({ kind: "failed", reason: markRefusal(error) ?? serverSentence(error) ?? null });
    showToast("err", FAILURE);
  };
  return { phase, sign, reset: () => setPhase({ kind: "placing" }) };
}

/** Specification §7. */
export function signedName(title: string): string {
  return `${slugify(title)}_signe.pdf`;
}

function waitingEnvelope(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== "timestamp_unavailable") return null;
  const { body } = error.details;
  const id =
    typeof body === "object" && body !== null && "envelope_id" in body ? body.envelope_id : null;
  return typeof id === "string" ? id : null;
}

export type ControlState =
  | { readonly kind: "pending" }
  | { readonly kind: "done"; readonly control: SelfSignControl }
  | { readonly kind: "refused"; readonly reason: string }
  /** The network was cut: signing will report what the control would have. */
  | { readonly kind: "unknown" };

export function useControl(file: File): ControlState {
  const [state, setState] = useState<ControlState>({ kind: "pending" });
  useEffect(() => {
    const aborted = new AbortController();
    setState({ kind: "pending" });
    controlFile(file, aborted.signal).then(
      (control) => setState({ kind: "done", control }),
      (error: unknown) => {
        if (aborted.signal.aborted) return;
        const isRefusal =
          error instanceof ApiError &&
          error.status >= 400 &&
          error.status < 500 &&
          error.status !== 401 &&
          error.status !== 429;
        const named = error instanceof ApiError ? error.fieldErrors["file"]?.[0] : undefined;
        setState(
          isRefusal
            ? {
                kind: "refused",
                reason: named ?? callMessage(error, "Ce fichier ne peut pas être signé."),
              }
            : { kind: "unknown" },
        );
      },
    );
    return () => aborted.abort();
  }, [file]);
  return state;
}
