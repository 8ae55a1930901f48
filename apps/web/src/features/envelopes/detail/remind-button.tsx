import { type Envelope, RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { useCountdown } from "../../../ui/countdown/countdown.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { Tooltip } from "../../../ui/tooltip/tooltip.tsx";
import { envelopeCalls } from "../envelope-calls.ts";
import styles from "../detail.module.css";
import { isAwaited } from "../recipient-state.ts";
import { againSentence, possibleAgain, retryMoment } from "../use-resend.ts";

type Props = {
  readonly envelope: Envelope;
  /** Away from the list of recipients, the awaited one is named. */
  readonly isNamed?: boolean;
};

/**
 * Rests until the service takes a reminder again; the moment comes with the envelope, so that a
 * reopened page knows it.
 */
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
