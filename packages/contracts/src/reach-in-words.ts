import type * as z from "zod/mini";
import type { reachSchema } from "./print.ts";

export type ReachShown = z.infer<typeof reachSchema>;
type Sent = NonNullable<NonNullable<ReachShown>["link"]>;

/**
 * Says in French how a signer was reached and what answered; confirmed and unconfirmed contacts
 * stay apart.
 */
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
  return `${link === null ? "Lien reçu par un moyen dont il ne reste pas trace" : `Lien reçu ${sentInWords(link)}`}, code saisi${code === null ? "" : ` reçu ${sentInWords(code)}`}.`;
}

function sentInWords({ channel, destination }: Sent): string {
  if (channel === "either") return "par SMS ou par email";
  const way = channel === "sms" ? "par SMS" : "par email";
  return destination === null ? way : `${way} ${channel === "sms" ? "au" : "à"} ${destination}`;
}

/** Keys: whether the address answered, then whether the number did. */
const CONFIRMED: Readonly<Record<`${boolean} ${boolean}`, string>> = {
  "true true": "Adresse email et numéro confirmés\u00a0: ce qui y a été envoyé est revenu.",
  "true false": "Adresse email confirmée\u00a0: ce qui y a été envoyé est revenu.",
  "false true": "Numéro confirmé\u202f; adresse email non confirmée.",
  "false false": "Adresse email non confirmée\u00a0: rien de ce qui y a été envoyé n’est revenu.",
};
