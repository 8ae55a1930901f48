import { longInstant } from "./french-instant.ts";

/** An event as identification reads it: who acted (`recipient:{id}`), when, and where a code went (masked). */
export type IdentifyingEvent = { readonly at: Date; readonly actor: string; readonly action: string; readonly destination: string | null };
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
      return [`Lien personnel (256\u00a0bits aléatoires) envoyé à ${person.email}.`, ...codesOf(person, means, events)];
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

/** The code that was confirmed last before the consent, and where it had been sent. */
function codesOf(person: IdentifiedPerson, { at }: MeansOfAgreement, events: readonly IdentifyingEvent[]): readonly string[] {
  const own = events.filter((event) => event.actor === `recipient:${person.id}` && event.at <= at);
  const verified = own.findLast((event) => event.action === "code_verified");
  if (verified === undefined) return ["Le journal ne contient pas la vérification d’un code avant le consentement."];
  const sent = own.findLast((event) => event.action === "code_sent" && event.at <= verified.at);
  const to = sent?.destination ?? "une adresse effacée depuis";
  return [
    ...(sent === undefined ? [] : [`Code à usage unique de six chiffres envoyé à ${to} le ${longInstant(sent.at)}.`]),
    `Code saisi et vérifié le ${longInstant(verified.at)}.`,
  ];
}
