import type { Envelope } from "@paraphe/contracts";
import { formatInstant } from "../../lib/format-dates.ts";
import { useServiceRules } from "../../lib/service-rules.ts";
import { NO_REMINDERS } from "./reached-words.ts";

/** The sender's setting, and when the next reminder leaves. */
export function RemindersFact({ reminders }: { readonly reminders: NonNullable<Envelope["reminders"]> }) {
  const { mail } = useServiceRules();
  if (reminders.every_days === null) return <>Aucun</>;
  return (
    <>
      {reminders.every_days === 1 ? "Tous les jours ouvrés" : `Tous les ${reminders.every_days} jours, les jours ouvrés`}
      {!mail && (
        <>
          <br />
          <span className="muted">{NO_REMINDERS}</span>
        </>
      )}
      {reminders.next_at !== null && (
        <>
          <br />
          <span className="muted">Prochaine relance le {formatInstant(reminders.next_at)}</span>
        </>
      )}
    </>
  );
}
