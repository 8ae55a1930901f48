import { longInstant } from "./french-instant.ts";

/**
 * An event as identification reads it: who acted (`recipient:{id}`) or was written to (`recipient`: their id), when, and by what and where something was sent: a code's
 * destination is masked, null once it was erased.
 */
export type IdentifyingEvent = {
  readonly at: Date;
  readonly actor: string;
  readonly recipient: string | null;
  readonly action: string;
  readonly channel: "email" | "sms";
  readonly destination: string | null;
};
export type IdentifiedPerson = { readonly id: string; readonly email: string };
export type MeansOfAgreement = { readonly method: "guest" | "authenticated" | "hsm" | "self" | "bulk"; readonly at: Date };

/**
 * Gives, in words, how somebody was identified when they agreed: what was checked, to which masked address, and when. Each line is a means.
 * Nothing here is a check of an identity document.
 */
export function identificationOf(
  person: IdentifiedPerson,
  means: MeansOfAgreement,
  events: readonly IdentifyingEvent[],
): readonly string[] {
  switch (means.method) {
    case "guest":
      return [linkOf(person, means, events), ...codesOf(person, means, events)];
    case "authenticated":
      return [`Session du compte dont l’adresse confirmée est ${person.email}, ouverte par mot de passe.`];
    case "hsm":
      return [
        `Session du compte dont l’adresse confirmée est ${person.email}, ouverte par mot de passe.`,
        "La signature est faite avec la clé de l’organisation, dans un module matériel\u00a0: son certificat nomme l’organisation.",
      ];
    case "self":
      return [`Session du compte de l’expéditeur (${person.email}), ouverte par mot de passe\u00a0: il signe son propre document.`];
    case "bulk":
      return [
        `Session du compte de l’expéditeur (${person.email}), ouverte par mot de passe\u00a0: un consentement pour un lot de documents.`,
      ];
  }
}

const BY = { email: "par courriel", sms: "par SMS" } as const;

/** The link that the person may have come by: the last that was sent before they agreed. */
function linkOf(person: IdentifiedPerson, { at }: MeansOfAgreement, events: readonly IdentifyingEvent[]): string {
  const link = "Lien personnel (256\u00a0bits aléatoires)";
  const sent = events.findLast(
    (event) =>
      event.recipient === person.id && event.at <= at && (event.action === "recipient_invited" || event.action === "recipient_reminded"),
  );
  return sent === undefined
    ? `${link} envoyé à ${person.email}.`
    : `${link} envoyé ${BY[sent.channel]} à ${sent.destination ?? ERASED}, demandé le ${longInstant(sent.at)}.`;
}

const ERASED = "une adresse effacée depuis";

/** The code that was confirmed last before the consent, and where it had been sent. */
function codesOf(person: IdentifiedPerson, { at }: MeansOfAgreement, events: readonly IdentifyingEvent[]): readonly string[] {
  const own = events.filter((event) => event.actor === `recipient:${person.id}` && event.at <= at);
  const verified = own.findLast((event) => event.action === "code_verified");
  if (verified === undefined) return ["Le journal ne contient pas la vérification d’un code avant le consentement."];
  const sent = own.findLast((event) => event.action === "code_sent" && event.at <= verified.at);
  return [
    ...(sent === undefined
      ? []
      : [`Code à usage unique de six chiffres envoyé ${BY[sent.channel]} à ${sent.destination ?? ERASED} le ${longInstant(sent.at)}.`]),
    `Code saisi et vérifié le ${longInstant(verified.at)}.`,
  ];
}
