import { ofName } from "@paraphe/kernel/french-words";
import type { StoredStatus } from "./envelope.ts";

/** Who signs before a person. `names`: in order, once that person is authenticated; else none. */
export type SignsBefore = { readonly count: number; readonly names: readonly string[] };

const NAMED = 3;

/** Says whose signature a recipient waits for. `isNotified`: a message will notify them. */
export function turnInWords(before: SignsBefore, isNotified: boolean): string {
  return `Ce n’est pas encore votre tour. ${isNotified ? "Vous recevrez un message" : "Revenez sur cette page"} ${whenInWords(before)}.`;
}

/** Gives the moment: « après la signature de Paul Martin ». */
export function whenInWords({ count, names }: SignsBefore): string {
  if (count === 0) return "le moment venu";
  const [last, ...others] = names.toReversed().map(ofName);
  if (last === undefined || names.length > NAMED)
    return count === 1
      ? "après la signature de la personne qui vous précède"
      : `après les signatures des ${count}\u00a0personnes qui vous précèdent`;
  return others.length === 0
    ? `après la signature ${last}`
    : `après les signatures ${others.toReversed().join(", ")} et ${last}`;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Formats a wait in French, rounded up: « 45 secondes », « 20 minutes », « 2 h 49 min ». */
export function waitInWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < MINUTE_S) return counted(whole, "seconde");
  const minutes = Math.ceil(whole / MINUTE_S);
  if (whole <= HOUR_S - MINUTE_S) return counted(minutes, "minute");
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0
    ? counted(hours, "heure")
    : `${hours}\u00a0h\u00a0${String(rest).padStart(2, "0")}\u00a0min`;
}

function counted(count: number, unit: string): string {
  return `${count}\u00a0${unit}${count > 1 ? "s" : ""}`;
}

/** Labels of statuses (specification §4). */
export const STATUS_LABELS: Readonly<Record<StoredStatus, string>> = {
  draft: "Brouillon",
  sent: "En cours",
  pending: "En cours",
  completed: "Terminé",
  declined: "Refusé",
  expired: "Expiré",
  cancelled: "Annulé",
};
