import { type Envelope, type Recipient, RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { formatShortInstant, formatTime, parisDay } from "../../lib/format-dates.ts";
import { useCountdown } from "../../lib/use-countdown.ts";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { Tooltip } from "../../ui/tooltip/tooltip.tsx";
import { envelopeCalls } from "./envelope-calls.ts";

/**
 * Reminds those who have not signed. It rests for a minute after use at the least, and until the service takes a reminder again: that moment
 * comes with the envelope, so that a page opened again knows it too.
 */
export function RemindButton({ envelope }: { readonly envelope: Envelope }) {
  const client = useQueryClient();
  const [usedUntil, setUsedUntil] = useState(0);
  const [refusedUntil, setRefusedUntil] = useState(0);
  const isFresh = useCountdown(usedUntil) > 0;
  const until = Math.max(usedUntil, refusedUntil, envelope.remind_at ? Date.parse(envelope.remind_at) : 0);
  const left = useCountdown(until);
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
      const waitS = error instanceof ApiError ? error.details.retryAfterS : undefined;
      if (waitS !== undefined) setRefusedUntil(Date.now() + waitS * 1000);
      showToast("err", callMessage(error, "Impossible de relancer l'enveloppe"));
    },
  });
  // One tree in both states: a button made anew would lose the focus, and its rest would be read by nobody.
  return (
    <Tooltip text={left > 0 ? `Nouvelle relance possible ${whenPossible(until)}` : undefined}>
      <Button loading={remind.isPending} blocked={left > 0} onClick={() => remind.mutate()}>
        <Icon name="bell" size="sm" />
        {isFresh ? "Relancé à l’instant" : "Relancer"}
      </Button>
    </Tooltip>
  );
}

/** Whose turn it is: the same address may also stand for somebody in copy, or for one who has answered. */
function isAwaited({ role, status }: Recipient): boolean {
  return role !== "viewer" && (status === "notified" || status === "viewed");
}

/** « dans 57 s » of the last minute, else the time, with its day when that is not today. */
function whenPossible(until: number): string {
  const leftS = Math.ceil((until - Date.now()) / 1000);
  if (leftS <= RESEND_COOLDOWN_S) return `dans ${Math.max(1, leftS)}\u00a0s`;
  // The minute after, not the one that is under way: at that time the press is taken.
  const at = new Date(Math.ceil(until / 60_000) * 60_000).toISOString();
  return parisDay(at) === parisDay(new Date()) ? `à ${formatTime(at)}` : `le ${formatShortInstant(at)}`;
}
