import { type Recipient, RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { formatShortInstant, formatTime, parisDay } from "../../lib/format/format-dates.ts";
import { serviceRules } from "../../lib/api/service-rules.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls, useFreshDetail } from "./envelope-calls.ts";

/** When a refused call may be made again (`Retry-After`), in milliseconds since 1970. */
export function retryMoment(error: unknown): number | undefined {
  const waitS = error instanceof ApiError ? error.details.retryAfterS : undefined;
  return waitS === undefined ? undefined : Date.now() + waitS * 1000;
}

/** « Nouvel envoi possible dans 57 s » in the last minute, else the time. */
export function possibleAgain(until: number): string {
  return `Nouvel envoi possible ${when(until)}`;
}

export function againSentence(until: number | undefined): string | undefined {
  return until === undefined ? undefined : `${possibleAgain(until)}.`;
}

function when(until: number): string {
  const leftS = Math.ceil((until - Date.now()) / 1000);
  if (leftS <= RESEND_COOLDOWN_S) return `dans ${Math.max(1, leftS)}\u00a0s`;
  // A press in the current minute would still be refused.
  const at = new Date(Math.ceil(until / 60_000) * 60_000).toISOString();
  return parisDay(at) === parisDay(new Date())
    ? `à ${formatTime(at)}`
    : `le ${formatShortInstant(at)}`;
}

const CODE_BY_MAIL =
  "Le code partira par email : il ne prend jamais le même chemin que le lien par SMS.";
const NO_CODE =
  "Le code part par email, que ce service n’envoie pas : pour signer, il faut un compte dont l’adresse est confirmée.";

export function useResend(envelopeId: string, recipient: Recipient) {
  const show = useFreshDetail();
  return useMutation({
    mutationFn: (channel: "email" | "sms") =>
      envelopeCalls.resend(envelopeId, recipient.id, channel),
    onSuccess: (envelope, channel) => {
      show(envelope);
      showToast(
        "ok",
        channel === "sms"
          ? `Invitation renvoyée par SMS à ${recipient.full_name}`
          : `Invitation renvoyée à ${recipient.full_name}`,
        channel === "sms" ? { detail: serviceRules().mail ? CODE_BY_MAIL : NO_CODE } : {},
      );
    },
    onError: (error) => {
      const field = error instanceof ApiError ? error.fieldErrors["channel"]?.join(" ") : undefined;
      showToast("err", field ?? callMessage(error, "Impossible de relancer l'enveloppe"), {
        detail: againSentence(retryMoment(error)),
      });
    },
  });
}
