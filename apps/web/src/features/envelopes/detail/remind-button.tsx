import { type Envelope, RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { useCountdown } from "../../../ui/countdown/countdown.tsx";
import { Button } from "../../../ui/button/button.tsx";
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

/** Rests until the service takes a reminder again. */
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
  const [awaited, ...others] = envelope.recipients.filter(isAwaited);
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
  // One tree in both states: a new button would lose the focus.
  return (
    <Tooltip text={left > 0 ? possibleAgain(until) : undefined}>
      <Button loading={remind.isPending} blocked={left > 0} onClick={() => remind.mutate()}>
        <Icon name="bell" size="sm" className={styles["bell"]} />
        {`Envoyer un rappel${whom}`}
      </Button>
    </Tooltip>
  );
}
