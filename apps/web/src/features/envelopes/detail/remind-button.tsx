import { type Envelope, RESEND_COOLDOWN_S, type Recipient } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage, ApiError } from "../../../lib/api/api-error.ts";
import { useCountdown } from "../../../ui/countdown/countdown.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { Tooltip } from "../../../ui/tooltip/tooltip.tsx";
import { envelopeCalls, useFreshDetail } from "../envelope-calls.ts";
import styles from "../detail.module.css";
import { isAwaited } from "../recipient-state.ts";
import { formatShortInstant, formatTime, parisDay } from "../../../lib/format/format-dates.ts";
import { serviceRules } from "../../../lib/api/service-rules.ts";

type Props = {
  readonly envelope: Envelope;
  /** Names the awaited person where the list of recipients is not in sight. */
  readonly isNamed?: boolean;
};

/** Disabled until the service accepts another reminder. */
export function RemindButton({ envelope, isNamed = false }: Props) {
  const client = useQueryClient();
  const [usedUntil, setUsedUntil] = useState(0);
  const [refusedUntil, setRefusedUntil] = useState(0);
  const until = Math.max(
    usedUntil,
    refusedUntil,
    envelope.remind_at ? Date.parse(envelope.remind_at) : 0,
  );
  const left = useCountdown(until);
  const people = envelope.recipients.filter(isAwaited);
  const [awaited, ...others] = people;
  const whom = isNamed && others.length === 0 && awaited ? ` à ${awaited.full_name}` : "";
  const remind = useMutation({
    mutationFn: () => envelopeCalls.remind(envelope.id),
    onSuccess: ({ reminded }) => {
      setUsedUntil(Date.now() + RESEND_COOLDOWN_S * 1000);
      const names = envelope.recipients
        .filter((person) => isAwaited(person) && reminded.includes(person.email))
        .map((person) => person.full_name);
      showToast("ok", `Rappel envoyé à ${names.join(", ")}`);
      void client.invalidateQueries({ queryKey: ["envelopes", "detail", envelope.id] });
      void client.invalidateQueries({ queryKey: ["envelopes", "events", envelope.id] });
    },
    onError: (error) => {
      const again = retryMoment(error);
      if (again !== undefined) setRefusedUntil(again);
      showToast("err", callMessage(error, "Impossible de relancer l'enveloppe"), {
        detail: againSentence(again),
      });
    },
  });
  const [isAsked, setIsAsked] = useState(false);
  const send = () => {
    setIsAsked(false);
    remind.mutate();
  };
  // One tree in both states: a new button would lose the focus.
  return (
    <>
      <Tooltip text={left > 0 ? possibleAgain(until) : undefined}>
        <Button loading={remind.isPending} blocked={left > 0} onClick={() => setIsAsked(true)}>
          <Icon name="bell" size="sm" className={styles["bell"]} />
          {`Envoyer un rappel${whom}`}
        </Button>
      </Tooltip>
      {isAsked ? (
        <ConfirmDialog
          title={"Envoyer un rappel\u202f?"}
          message={`Il part aussitôt, à ${andList(people.map((person) => person.full_name))}.`}
          confirmLabel="Envoyer"
          onConfirm={send}
          onCancel={() => setIsAsked(false)}
        />
      ) : null}
    </>
  );
}

/** When a refused call may be made again (`Retry-After`), in milliseconds since 1970. */
function retryMoment(error: unknown): number | undefined {
  const waitS = error instanceof ApiError ? error.details.retryAfterS : undefined;
  return waitS === undefined ? undefined : Date.now() + waitS * 1000;
}

/** « Nouvel envoi possible dans 57 s » in the last minute, else the time. */
function possibleAgain(until: number): string {
  return `Nouvel envoi possible ${when(until)}`;
}

function againSentence(until: number | undefined): string | undefined {
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
