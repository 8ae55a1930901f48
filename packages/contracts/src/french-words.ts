import { ofName, uncapitalised } from "@paraphe/kernel/french-words";
import type * as z from "zod/mini";
import type { StoredStatus } from "./envelope.ts";
import type { reachSchema } from "./proof/print.ts";

/** `names`: given to an authenticated person alone. `visas`: how many. */
export type SignsBefore = {
  readonly count: number;
  readonly visas?: number | undefined;
  readonly names: readonly string[];
};

const NAMED = 3;
/** `isNotified`: a message will follow. */
export function turnInWords(before: SignsBefore, isNotified: boolean): string {
  return `Ce n’est pas encore votre tour. ${isNotified ? "Vous recevrez un message" : "Revenez sur cette page"} ${whenInWords(before)}.`;
}

/** « après la signature de Paul Martin ». */
export function whenInWords({ count, visas = 0, names }: SignsBefore): string {
  if (count === 0) return "le moment venu";
  const [last, ...others] = names.toReversed().map(ofName);
  const isOne = count === 1;
  const act = visas === 0 ? "signature" : visas === count ? "visa" : "visas et signature";
  const after = isOne ? `après l${visas ? "e" : "a"} ${act} ` : `après les ${act}s `;
  return last === undefined || names.length > NAMED
    ? after +
        (isOne
          ? "de la personne qui vous précède"
          : `des ${count}\u00a0personnes qui vous précèdent`)
    : after + [others.toReversed().join(", "), last].filter(Boolean).join(" et ");
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Rounds up: « 45 secondes », « 20 minutes », « 2 h 49 min ». */
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

export const STATUS_LABELS: Readonly<Record<StoredStatus, string>> = {
  draft: "Brouillon",
  sent: "En cours",
  pending: "En cours",
  completed: "Terminé",
  declined: "Refusé",
  expired: "Expiré",
  cancelled: "Annulé",
};

export type ReachShown = z.infer<typeof reachSchema>;
type Sent = NonNullable<NonNullable<ReachShown>["link"]>;

/** Words for confirmed and unconfirmed contacts stay apart. */
export function reachInWords(reach: ReachShown): {
  readonly way: string;
  readonly confirmed: string;
} {
  if (reach === null)
    return {
      way: "L’historique ne dit pas comment cette personne a été jointe.",
      confirmed: "Adresse et numéro non confirmés.",
    };
  return {
    way: wayInWords(reach),
    confirmed:
      CONFIRMED[`${reach.confirmed.includes("email")} ${reach.confirmed.includes("phone")}`],
  };
}

function wayInWords({ by, link, code }: NonNullable<ReachShown>): string {
  if (by === "account") return "Signé depuis la session d’un compte.";
  return `${link === null ? "Lien reçu par un moyen dont il ne reste pas trace" : `Lien reçu ${sentInWords(link)}`}, code ${code === null ? "" : `reçu ${sentInWords(code)} et `}saisi.`;
}

function sentInWords({ channel, destination }: Sent): string {
  if (channel === "either") return "par SMS ou par email";
  const way = channel === "sms" ? "par SMS" : "par email";
  return destination === null ? way : `${way} ${channel === "sms" ? "au" : "à"} ${destination}`;
}

/** Keys: whether the address answered, then whether the number did. */
const CONFIRMED: Readonly<Record<`${boolean} ${boolean}`, string>> = {
  "true true": "Adresse email et numéro confirmés\u00a0: ce qui y a été envoyé a servi.",
  "true false": "Adresse email confirmée\u00a0: ce qui y a été envoyé a servi.",
  "false true": "Numéro confirmé\u202f; adresse email non confirmée.",
  "false false": "Adresse email non confirmée\u00a0: rien de ce qui y a été envoyé n’a servi.",
};

/** Gives « de la part du service Urbanisme »; the name may begin with « Service » itself. */
export function onBehalfOf(team: string): string {
  return `de la part du ${uncapitalised(teamLabel(team))}`;
}

export function teamLabel(team: string): string {
  return `Service ${bareTeamName(team)}`;
}

export const bareTeamName = (team: string): string => team.replace(/^service\s+/iu, "");
