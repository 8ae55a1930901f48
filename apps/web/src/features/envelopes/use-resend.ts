import type { Recipient } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { serviceRules } from "../../lib/service-rules.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { againSentence, retryMoment } from "./possible-again.ts";
import { useFreshDetail } from "./use-fresh-detail.ts";

const CODE_BY_MAIL = "Le code partira par email : il ne prend jamais le même chemin que le lien par SMS.";
const NO_CODE = "Le code part par email, que ce service n’envoie pas : pour signer, il faut un compte dont l’adresse est confirmée.";

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
        channel === "sms" ? { detail: serviceRules().mail ? CODE_BY_MAIL : NO_CODE } : {},
      );
    },
    onError: (error) => {
      const field = error instanceof ApiError ? error.fieldErrors["channel"]?.join(" ") : undefined;
      showToast("err", field ?? callMessage(error, "Impossible de relancer l'enveloppe"), { detail: againSentence(retryMoment(error)) });
    },
  });
}
