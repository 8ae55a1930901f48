import { type MemberRole, type ProgramHolder, ROLE_NAMES } from "@paraphe/contracts";
import { ofName, uncapitalised } from "@paraphe/kernel/french-words";

type Detail = Readonly<Record<string, string | number | null>>;
type Facts = { readonly subject: string; readonly detail: Detail };

/** Each event has one sentence. Names never change, as rows have them. */
const EVENTS = {
  member_invited: ({ detail }: Facts) =>
    detail["email"] === null
      ? `Adresse d’inscription donnée à une personne${detail["role"] === null ? "" : `, comme ${role(detail["role"])}`}`
      : `Invitation envoyée à ${text(detail["email"])}, comme ${role(detail["role"])}`,
  invitation_renewed: ({ detail }: Facts) => `Invitation renvoyée à ${text(detail["email"])}`,
  invitation_withdrawn: ({ detail }: Facts) =>
    `Invitation ${ofName(text(detail["email"]))} annulée`,
  member_joined: ({ subject, detail }: Facts) =>
    `${subject} a rejoint l’organisation, comme ${role(detail["role"])}`,
  role_changed: ({ subject, detail }: Facts) =>
    `Rôle ${ofName(subject)}\u00a0: ${role(detail["role"])}, au lieu ${ofName(role(detail["from"]))}`,
  sessions_ended: ({ subject }: Facts) => `Sessions ${ofName(subject)} fermées`,
  factors_reset: ({ subject }: Facts) => `Second facteur ${ofName(subject)} réinitialisé`,
  access_changed: ({ detail }: Facts) =>
    `Second facteur et sessions modifiés\u00a0: ${text(detail["choices"])}`,
  team_created: ({ detail }: Facts) => `Équipe ${team(detail)} créée`,
  team_renamed: ({ detail }: Facts) =>
    `Équipe «\u00a0${text(detail["from"])}\u00a0» renommée ${team(detail)}`,
  team_deleted: ({ detail }: Facts) => `Équipe ${team(detail)} supprimée`,
  team_joined: ({ subject, detail }: Facts) => `${subject} a rejoint l’équipe ${team(detail)}`,
  team_left: ({ subject, detail }: Facts) => `${subject} n’est plus dans l’équipe ${team(detail)}`,
  team_administered: ({ subject, detail }: Facts) =>
    `${subject} administre l’équipe ${team(detail)}`,
  team_unadministered: ({ subject, detail }: Facts) =>
    `${subject} n’administre plus l’équipe ${team(detail)}`,
  member_removed: ({ subject, detail }: Facts) =>
    `${subject} n’a plus accès\u00a0; ses enveloppes, modèles${detail["steps"] ? ", contacts et étapes de circuit" : " et contacts"} sont confiés à ${text(detail["heir"])}`,
  member_erased: () => "Un membre a effacé son compte",
  identity_changed: () => "Identité de l’organisation modifiée",
  appearance_changed: () => "Logo et couleur modifiés",
  mails_changed: () => "Expéditeur et pied des emails modifiés",
  registration_changed: ({ detail }: Facts) => `Inscription\u00a0: ${text(detail["choice"])}`,
  provider_saved: ({ detail }: Facts) =>
    `Connexion par ${named(detail)} (${text(detail["host"])}) enregistrée`,
  provider_removed: ({ detail }: Facts) => `Connexion par ${named(detail)} retirée`,
  key_created: ({ detail }: Facts) => `Clé d’API ${named(detail)} créée${forWhom(detail)}`,
  key_changed: ({ detail }: Facts) => `Clé d’API ${named(detail)} modifiée${forWhom(detail)}`,
  key_revoked: ({ detail }: Facts) => `Clé d’API ${named(detail)} révoquée${forWhom(detail)}`,
  webhook_created: ({ detail }: Facts) => `Webhook ${named(detail)} créé${forWhom(detail)}`,
  webhook_changed: ({ detail }: Facts) => `Webhook ${named(detail)} modifié${forWhom(detail)}`,
  webhook_deleted: ({ detail }: Facts) => `Webhook ${named(detail)} supprimé${forWhom(detail)}`,
  delegation_given: ({ subject, detail }: Facts) =>
    `Délégation donnée à ${subject}, ${text(detail["period"])}${scopeOf(detail)}`,
  delegation_changed: ({ subject, detail }: Facts) =>
    `Délégation à ${subject} changée\u00a0: ${text(detail["period"])}${scopeOf(detail)}`,
  delegation_stopped: ({ subject }: Facts) => `Délégation à ${subject} arrêtée`,
  delegation_refused: ({ subject }: Facts) => `Délégation ${ofName(subject)} refusée`,
  delegation_ended: ({ subject }: Facts) =>
    `Délégation à ${subject} terminée\u00a0: un départ de l’organisation`,
  circuit_saved: ({ detail }: Facts) =>
    `Circuit «\u00a0${text(detail["name"])}\u00a0» ${detail["change"] === "made" ? "créé" : "modifié"}`,
  circuit_deleted: ({ detail }: Facts) => `Circuit «\u00a0${text(detail["name"])}\u00a0» supprimé`,
  journal_exported: ({ detail }: Facts) =>
    `Journal exporté (${text(detail["format"]).toUpperCase()})`,
} as const satisfies Readonly<Record<string, (facts: Facts) => string>>;
export type OrganisationEventKind = keyof typeof EVENTS;
export type EventDetail = Detail;

export function eventSentence(kind: string, facts: Facts): string {
  return Object.hasOwn(EVENTS, kind) ? EVENTS[kind as OrganisationEventKind](facts) : kind;
}

const scopeOf = ({ scope }: Detail) => (scope === undefined ? "" : `, ${text(scope)}`);

function text(value: string | number | null | undefined): string {
  return String(value ?? "une personne");
}

const named = (detail: Detail): string => `«\u00a0${text(detail["name"])}\u00a0»`;

const forWhom = ({ holder }: Detail): string =>
  holder === undefined ? "" : `, au nom de ${text(holder)}`;

export function nameHolder({ kind, name }: ProgramHolder): { readonly holder?: string } {
  if (kind === "person") return {};
  return { holder: kind === "team" ? `l’équipe «\u00a0${name}\u00a0»` : "l’organisation" };
}

function team(detail: Detail): string {
  return `«\u00a0${text(detail["team"])}\u00a0»`;
}

function role(value: string | number | null | undefined): string {
  return uncapitalised(ROLE_NAMES[value as MemberRole] ?? "membre");
}
