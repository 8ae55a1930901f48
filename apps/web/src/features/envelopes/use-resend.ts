import type { Recipient } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { againSentence, retryMoment } from "./possible-again.ts";
import { useFreshDetail } from "./use-fresh-detail.ts";

/** Sends the invitation to one recipient again, by email or by SMS. */
export function useResend(envelopeId: string, recipient: Recipient) {
  const show = useFreshDetail();
  return useMutation({
    mutationFn: (channel: "email" | "sms") => envelopeCalls.resend(envelopeId, recipient.id, channel),
    onSuccess: (envelope, channel) => {
      show(envelope);
      showToast(
        "ok",
        channel === "sms" ? `Invitation renvoyée par SMS à ${recipient.full_name}` : `Invitation renvoyée à ${recipient.full_name}`,
        channel === "sms" ? { detail: "Le code partira par courriel : il ne prend jamais le même chemin que le lien par SMS." } : {},
      );
    },
    onError: (error) => {
      const field = error instanceof ApiError ? error.fieldErrors["channel"]?.join(" ") : undefined;
      showToast("err", field ?? callMessage(error, "Impossible de relancer l'enveloppe"), { detail: againSentence(retryMoment(error)) });
    },
  });
}
