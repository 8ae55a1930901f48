import { type ReachShown, reachInWords } from "@paraphe/contracts";
import { formatExactInstant } from "@paraphe/kernel/french-dates";

/** `actor`: `recipient:{id}`; `destination`: masked, null once erased. */
export type IdentifyingEvent = {
  readonly at: Date;
  readonly actor: string;
  readonly recipient: string | null;
  readonly action: string;
  readonly channel: "email" | "sms" | "either";
  readonly destination: string | null;
  /** Id of the code sent, entered, or used for the consent. */
  readonly code: string | null;
  /** Of a code's entry: the channel of the link. */
  readonly linkChannel: "email" | "sms" | "either" | null;
};
export type IdentifiedPerson = { readonly id: string; readonly email: string };
export type MeansOfAgreement = {
  readonly method: "guest" | "authenticated" | "hsm" | "self" | "bulk";
  readonly at: Date;
};

/** Sentences on what was checked, to which masked address, and when. None is an identity check. */
export function identificationOf(
  person: IdentifiedPerson,
  means: MeansOfAgreement,
  { events, reach }: { readonly events: readonly IdentifyingEvent[]; readonly reach: ReachShown },
): readonly string[] {
  switch (means.method) {
    case "guest":
      return [
        linkOf(person, means, events),
        ...codesOf(person, means, events),
        reachInWords(reach).confirmed,
      ];
    case "authenticated":
      return [
        `Session du compte dont l’adresse est ${person.email}, ouverte par mot de passe.`,
        reachInWords(reach).confirmed,
      ];
    case "hsm":
      return [
        ...(reach?.by === "link"
          ? [linkOf(person, means, events), ...codesOf(person, means, events)]
          : [`Session du compte dont l’adresse est ${person.email}, ouverte par mot de passe.`]),
        reachInWords(reach).confirmed,
        "La signature est faite avec la clé de l’organisation, dans un module matériel\u00a0: son certificat nomme l’organisation.",
      ];
    case "self":
      return [
        `Session du compte de l’expéditeur (${person.email}), ouverte par mot de passe\u00a0: il signe son propre document.`,
        reachInWords(reach).confirmed,
      ];
    case "bulk":
      return [
        `Session du compte de l’expéditeur (${person.email}), ouverte par mot de passe\u00a0: un consentement pour un lot de documents.`,
        reachInWords(reach).confirmed,
      ];
  }
}

const BY = { email: "par email", sms: "par SMS", either: "par SMS ou par email" } as const;

/**
 * The link that the person came by: the last that was sent that way before they agreed; of a
 * journal that does not say which way, the last.
 */
function linkOf(
  person: IdentifiedPerson,
  { at }: MeansOfAgreement,
  events: readonly IdentifyingEvent[],
): string {
  const link = "Lien personnel (256\u00a0bits aléatoires)";
  const way = entryOf(person, at, events)?.linkChannel ?? null;
  const sent = events.findLast(
    (event) =>
      event.recipient === person.id &&
      event.at <= at &&
      (way === null || event.channel === way) &&
      (event.action === "recipient_invited" || event.action === "recipient_reminded"),
  );
  return sent === undefined
    ? `${link} envoyé ${way === null ? "" : `${BY[way]} `}à ${person.email}.`
    : `${link} envoyé ${BY[sent.channel]} à ${sent.destination ?? ERASED}, demandé le ${formatExactInstant(sent.at)}.`;
}

const ERASED = "une adresse effacée depuis";

/**
 * The entry of the code that the consent was given by; of a journal that does not say which, the
 * last.
 */
function entryOf(
  person: IdentifiedPerson,
  at: Date,
  events: readonly IdentifyingEvent[],
): IdentifyingEvent | undefined {
  const own = events.filter((event) => event.actor === `recipient:${person.id}` && event.at <= at);
  const consent = own.findLast(({ action, code }) => action === "consent_given" && code !== null);
  return own.findLast(
    ({ action, code }) =>
      action === "code_verified" && (consent === undefined || code === consent.code),
  );
}

/** The last code confirmed before the consent, and where it was sent. */
function codesOf(
  person: IdentifiedPerson,
  { at }: MeansOfAgreement,
  events: readonly IdentifyingEvent[],
): readonly string[] {
  const own = events.filter((event) => event.actor === `recipient:${person.id}` && event.at <= at);
  const verified = entryOf(person, at, events);
  if (verified === undefined)
    return ["L’historique ne contient pas la vérification d’un code avant le consentement."];
  const sent = own.findLast(
    (event) =>
      event.action === "code_sent" && event.at <= verified.at && event.code === verified.code,
  );
  return [
    ...(sent === undefined
      ? []
      : [
          `Code à usage unique de six chiffres envoyé ${BY[sent.channel]} à ${sent.destination ?? ERASED} le ${formatExactInstant(sent.at)}.`,
        ]),
    ...(sent !== undefined && sent.channel !== verified.channel
      ? [`Le SMS n’a pas pu partir\u00a0: le code est allé ${BY[verified.channel]}.`]
      : []),
    `Code saisi et vérifié le ${formatExactInstant(verified.at)}.`,
  ];
}
