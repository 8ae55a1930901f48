import { onBehalfOf } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";

const NARROW = "\u202f";
const SPACE = "\u00a0";

/**
 * Puts U+202F before `; ! ?`, U+00A0 before `:` and inside « », and writes ’. Inserted values stay
 * as they are.
 */
export function french(
  parts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): string {
  return parts
    .map((part, index) => typeset(part) + (index < values.length ? String(values[index]) : ""))
    .join("");
}

function typeset(text: string): string {
  return text
    .replace(/ ([;!?])/g, `${NARROW}$1`)
    .replace(/ :/g, `${SPACE}:`)
    .replace(/« /g, `«${SPACE}`)
    .replace(/ »/g, `${SPACE}»`)
    .replace(/'/g, "’");
}

export function groupedCode(code: string): string {
  return `${code.slice(0, 3)}${NARROW}${code.slice(3)}`;
}

/** Adds word joiners (U+2060), so that mail programs make no link. */
export function unlinked(text: string): string {
  return text.replace(/(?<=\S)[.:/@](?=\S)/g, "\u2060$&\u2060");
}

type Sender = {
  readonly senderName: string;
  readonly senderEmail: string;
  readonly senderTeam?: string;
};

export function senderOf({ senderName, senderEmail, senderTeam }: Sender): string {
  const person = senderEmail === "" ? senderName : `${senderName} (${senderEmail})`;
  return senderTeam === undefined ? person : `${person}, ${onBehalfOf(senderTeam)},`;
}

/** An empty `Reply-To` is invalid (RFC 5322 §3.6.2). */
export function replyToOf({ senderEmail }: Pick<Sender, "senderEmail">): string | null {
  return senderEmail === "" ? null : senderEmail;
}

export type Corrected = {
  readonly by: string | null;
  readonly reason: string;
  /** The reader's own answer, which somebody else's return annulled. */
  readonly annulled?: "visa" | "signature";
};

const ANNULLED = { visa: "Le visa", signature: "La signature" } as const;

export function correctedWords(
  { by, reason, annulled }: Corrected,
  behalf?: { readonly name: string },
): string {
  if (annulled !== undefined) {
    const own =
      behalf === undefined ? `Votre ${annulled}` : `${ANNULLED[annulled]} ${ofName(behalf.name)}`;
    return french`Version corrigée. ${own} sur la version précédente est ${annulled === "visa" ? "annulé" : "annulée"}, et une réponse est redemandée sur celle-ci. Motif du renvoi : « ${reason} »`;
  }
  const who = by ?? behalf?.name;
  return who === undefined
    ? french`Version corrigée. Vous l'aviez renvoyée : « ${reason} »`
    : french`Version corrigée. ${who} l'avait renvoyée : « ${reason} »`;
}
