import { formatSiret, type ReachShown, reachInWords } from "@paraphe/contracts";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import type { SessionReach, VouchedReach } from "@paraphe/proof/parts";

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
  /** The channel of the link, where a code was entered. */
  readonly linkChannel: "email" | "sms" | "either" | null;
};
/** `email`: null where the account has not confirmed it. */
type IdentifiedPerson = { readonly id: string; readonly email: string | null };
export type MeansOfAgreement = {
  readonly method: "guest" | "authenticated" | "hsm" | "self" | "bulk";
  readonly at: Date;
};

type Identifying = {
  readonly events: readonly IdentifyingEvent[];
  readonly reach: ReachShown;
  readonly vouched?: VouchedReach | undefined;
  readonly session?: SessionReach | undefined;
};

const OPENINGS: Readonly<Record<string, string>> = {
  password: ", ouverte par mot de passe",
  password_totp: ", ouverte par mot de passe et application d’authentification",
  recovery_code: ", ouverte par mot de passe et code de secours",
  passkey: ", ouverte par clé d’accès",
};
const CONFIRMATIONS: Readonly<Record<string, string>> = {
  passkey: "Signature confirmée par clé d’accès, demandée de nouveau juste avant.",
  totp: "Signature confirmée par un code de l’application d’authentification, demandé juste avant.",
};

/** A provider vouched for the address, but nothing sent there came back. */
function vouchedInWords({ by, facts, siret }: VouchedReach): string {
  const same = [
    ...(facts.includes("name") ? ["le même nom"] : []),
    ...(facts.includes("email") ? ["la même adresse"] : []),
  ].join(" et ");
  const number = siret === null ? "" : `, et le SIRET ${formatSiret(siret)}`;
  return `Le fournisseur d’identité ${by} a donné ${same || "un autre nom et une autre adresse"}${number}\u00a0: c’est sa parole, que ce service n’a pas vérifiée.`;
}

/** Says what was checked, at which masked address, and when; no identity is checked. */
export function identificationOf(
  person: IdentifiedPerson,
  means: MeansOfAgreement,
  { events, reach, vouched, session }: Identifying,
): readonly string[] {
  const opened =
    vouched === undefined
      ? (OPENINGS[session?.openedBy ?? ""] ?? "")
      : `, ouverte chez ${vouched.by}`;
  const confirmed = CONFIRMATIONS[session?.confirmedBy ?? ""];
  const vouching = [
    ...(confirmed === undefined ? [] : [confirmed]),
    ...(vouched === undefined ? [] : [vouchedInWords(vouched)]),
  ];
  switch (means.method) {
    case "guest":
      return [
        linkOf(person, means, events),
        ...codesOf(person, means, events),
        reachInWords(reach).confirmed,
      ];
    case "authenticated":
      return [`${accountOf(person)}${opened}.`, reachInWords(reach).confirmed, ...vouching];
    case "hsm":
      return [
        ...(reach?.by === "link"
          ? [linkOf(person, means, events), ...codesOf(person, means, events)]
          : [`${accountOf(person)}${opened}.`]),
        reachInWords(reach).confirmed,
        ...vouching,
        "La signature est faite avec la clé de l’organisation, dans un module matériel\u00a0: son certificat nomme l’organisation.",
      ];
    case "self":
      return [
        `Session du compte de l’expéditeur (${person.email})${opened}\u00a0: il signe son propre document.`,
        reachInWords(reach).confirmed,
        ...vouching,
      ];
    case "bulk":
      return [
        `Session du compte de l’expéditeur (${person.email})${opened}\u00a0: un consentement pour un lot de documents.`,
        reachInWords(reach).confirmed,
        ...vouching,
      ];
  }
}

const accountOf = ({ email }: IdentifiedPerson): string =>
  `Session du compte dont l’adresse ${email === null ? "n’est pas confirmée" : `est ${email}`}`;

const BY = { email: "par email", sms: "par SMS", either: "par SMS ou par email" } as const;

/** Gives the last link before the consent, by the channel that the code's entry names. */
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
      event.channel === way &&
      (event.action === "recipient_invited" || event.action === "recipient_reminded"),
  );
  return sent === undefined
    ? `${link} envoyé ${way === null ? "" : `${BY[way]} `}à ${person.email ?? ERASED_ADDRESS}.`
    : `${link} envoyé ${BY[sent.channel]} à ${sent.destination ?? ERASED_ADDRESS}, demandé le ${formatExactInstant(sent.at)}.`;
}

const ERASED_ADDRESS = "une adresse effacée depuis";

const AGREEMENTS: ReadonlySet<string> = new Set(["consent_given", "visa_given"]);

/** Gives the entry of the code that the consent or the visa names. */
function entryOf(
  person: IdentifiedPerson,
  at: Date,
  events: readonly IdentifyingEvent[],
): IdentifyingEvent | undefined {
  const own = events.filter((event) => event.actor === `recipient:${person.id}` && event.at <= at);
  const code = own.findLast(({ action }) => AGREEMENTS.has(action))?.code ?? null;
  return code === null
    ? undefined
    : own.findLast((event) => event.action === "code_verified" && event.code === code);
}

/** Says where the consent's code went and when it was entered. */
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
          `Code à usage unique de six chiffres envoyé ${BY[sent.channel]} à ${sent.destination ?? ERASED_ADDRESS} le ${formatExactInstant(sent.at)}.`,
        ]),
    ...(sent !== undefined && sent.channel !== verified.channel
      ? [`Le SMS n’a pas pu partir\u00a0: le code est allé ${BY[verified.channel]}.`]
      : []),
    `Code saisi et vérifié le ${formatExactInstant(verified.at)}.`,
  ];
}
