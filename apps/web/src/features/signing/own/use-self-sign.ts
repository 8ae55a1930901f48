import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError } from "../../../lib/api-error.ts";
import { serverSentence } from "../../../lib/call-message.ts";
import { saveBlob } from "../../../lib/save-blob.ts";
import { slugify } from "../../../lib/slugify.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { ChosenMark } from "../chosen-mark.ts";
import { markRefusal } from "../sign-outcome.ts";
import { type SelfSigned, type SelfSigning, signFile, untilSealed } from "./self-sign-calls.ts";

/** The words fixed for whatever keeps a document from being signed (specification §8). */
export const FAILURE = "Impossible de signer le document";

export type SignPhase =
  | { readonly kind: "placing" }
  | { readonly kind: "signing" | "sealing" }
  /** `reason`: the service's own sentence; nothing of what was prepared is lost. */
  | { readonly kind: "failed"; readonly reason: string | null }
  | { readonly kind: "signed"; readonly envelopeId: string; readonly file: Blob };
export type Asked = Omit<SelfSigning, "signature"> & { readonly mark: ChosenMark };

/** The act: the same request goes again under the same key after a silence, so that a cut network neither loses nor doubles a signature. */
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
      // A time-stamp that cannot be had now: the consent is recorded, its signature will follow.
      const waiting = waitingEnvelope(error);
      if (waiting !== null) return wait(waiting, asked.title).catch(fail);
      if (!(error instanceof ApiError && error.isUnreachable)) attempt.current = null;
      fail(error);
    } finally {
      // Lists and counts have changed: they are read again when next shown.
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    }
  };
  const fail = (error: unknown): void => {
    setPhase({ kind: "failed", reason: markRefusal(error) ?? serverSentence(error) ?? null });
    showToast("err", FAILURE);
  };
  return { phase, sign, reset: () => setPhase({ kind: "placing" }) };
}

/** Gives the name under which a signed file is saved (specification §7). */
export function signedName(title: string): string {
  return `${slugify(title)}_signe.pdf`;
}

function waitingEnvelope(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== "timestamp_unavailable") return null;
  const { body } = error.details;
  const id = typeof body === "object" && body !== null && "envelope_id" in body ? body.envelope_id : null;
  return typeof id === "string" ? id : null;
}
