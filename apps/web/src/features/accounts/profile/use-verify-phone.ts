import type { User } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { sendPhoneCode, verifyPhone } from "./profile-calls.ts";

/** A code on its way: where to, and until when no other is sent. */
export type SentPhoneCode = { readonly destination: string; readonly resendAt: number };

/** Gives the ways to prove that the profile's number is one's own: a code is asked for, then typed. */
export function useVerifyPhone(onVerified: (user: User) => void) {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentPhoneCode>();
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const run = async (call: () => Promise<void>, fallback: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await call();
    } catch (cause) {
      setError(callMessage(cause, fallback));
    } finally {
      setCode("");
      setBusy(false);
    }
  };
  const send = () =>
    run(async () => {
      const { destination, resend_in: resendIn } = await sendPhoneCode();
      setSent({ destination, resendAt: Date.now() + resendIn * 1_000 });
    }, "Impossible d’envoyer le code");
  const verify = (digits: string) =>
    run(async () => {
      const user = await verifyPhone(digits);
      client.setQueryData(sessionQuery.queryKey, user);
      setSent(undefined);
      showToast("ok", "Numéro vérifié");
      onVerified(user);
    }, "Impossible de vérifier le code");
  return { sent, code, setCode, busy, error, send, verify };
}
