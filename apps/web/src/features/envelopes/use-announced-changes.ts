import type { Envelope } from "@paraphe/contracts";
import { useEffect, useRef } from "react";
import { announce } from "../../lib/announce.ts";
import { formatWeekday } from "../../lib/format-dates.ts";

/** Says to whoever cannot see the page change what somebody else just did, « Paul Martin a signé. », and any change of the deadline. */
export function useAnnouncedChanges(envelope: Envelope): void {
  const before = useRef(envelope);
  useEffect(() => {
    const sentences = changesBetween(before.current, envelope);
    before.current = envelope;
    if (sentences.length > 0) announce(sentences.join(" "));
  }, [envelope]);
}

/** Gives what happened between two readings of one envelope, in sentences. */
export function changesBetween(before: Envelope, now: Envelope): readonly string[] {
  if (before.id !== now.id) return [];
  const people = now.recipients.flatMap((person) => {
    const known = before.recipients.find(({ id }) => id === person.id);
    if (known === undefined) return [];
    if (person.signed && !known.signed) return [`${person.full_name} a signé.`];
    if (person.status === "declined" && known.status !== "declined") return [`${person.full_name} a refusé de signer.`];
    return person.viewed_at !== null && known.viewed_at === null ? [`${person.full_name} a ouvert le document.`] : [];
  });
  const dated = [...people, ...deadlineChange(before.deadline_at, now.deadline_at)];
  if (now.status === before.status) return dated;
  if (now.status === "completed") return [...dated, "Toutes les signatures sont recueillies."];
  return now.status === "expired" ? [...dated, "L’échéance est dépassée."] : dated;
}

/** One's own as well: the dialog that moved it kept the page silent until it closed. */
function deadlineChange(before: string | null, now: string | null): readonly string[] {
  if (before === now) return [];
  if (now === null) return ["Échéance retirée."];
  const moved = before === null ? "fixée" : Date.parse(now) > Date.parse(before) ? "prolongée" : "avancée";
  return [`Échéance ${moved} au ${formatWeekday(now)}.`];
}
