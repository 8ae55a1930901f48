import { type AuditAction, ofName, quotationOf } from "@paraphe/contracts";
import { longDay } from "./french.ts";

/** An event of the journal as far as its sentence goes: `who` acts or is asked, where the event names somebody. */
export type ToldEvent = { readonly action: string; readonly who: string; readonly facts: Readonly<Record<string, unknown>> };
type Maker = (who: string, facts: ToldEvent["facts"]) => string;

const by = (channel: unknown): string => (channel === "either" ? " par SMS ou par email" : channel === "sms" ? " par SMS" : " par email");
const to = (facts: ToldEvent["facts"]): string => (isText(facts["destination"]) ? `, à ${facts["destination"]}` : "");

/** Every action has its sentence: one without does not compile. The moment of a message is that of its request; the register of messages says what became of it. */
const SENTENCES: Readonly<Record<AuditAction, Maker>> = {
  envelope_created: () => "Enveloppe créée",
  envelope_updated: () => "Enveloppe modifiée, avant son envoi",
  envelope_sent: () => "Enveloppe ouverte à la signature",
  envelope_cancelled: () => "Enveloppe annulée par l’expéditeur",
  envelope_restored: () => "Enveloppe rétablie par l’expéditeur",
  envelope_purged: () => "Enveloppe purgée",
  envelope_declined: (who, facts) => `${who} a refusé de signer${reasonOf(facts)}`,
  envelope_expired: () => "Échéance dépassée\u00a0: l’enveloppe est close",
  envelope_completed: (_who, facts) => `Dernière signature apposée\u00a0: documents scellés et horodatés${levelOf(facts)}`,
  recipient_invited: (who, facts) => `Invitation demandée pour ${who}${by(facts["channel"])}${to(facts)}`,
  recipient_reminded: (who, facts) =>
    `${facts["automatic"] === true ? "Rappel automatique" : "Rappel"} demandé pour ${who}${by(facts["channel"])}${to(facts)}`,
  recipient_address_corrected: (who) => `Coordonnées ${ofName(who)} corrigées par l’expéditeur`,
  deadline_near: () => "Échéance proche\u00a0: rappels demandés",
  deadline_extended: (_who, facts) => `Échéance prolongée${dayOf(facts, "to", " au ")}`,
  deadline_changed: (_who, facts) => (isText(facts["to"]) ? `Échéance fixée${dayOf(facts, "to", " au ")}` : "Échéance retirée"),
  deadline_announced: (_who, facts) => `Nouvelle échéance annoncée${dayOf(facts, "deadline", "\u00a0: ")}`,
  reminders_changed: () => "Rappels automatiques modifiés",
  public_page_changed: (_who, facts) =>
    facts["proof_only"] === true ? "Page publique\u00a0: document non montré" : "Page publique\u00a0: document visible",
  extension_requested: (who) => `${who} a demandé une prolongation`,
  recipient_viewed: (who) => `${who} a ouvert les documents`,
  recipient_signed: (who, facts) => `Signature ${ofName(who)} apposée dans les documents${levelOf(facts)}`,
  code_sent: (who, facts) =>
    `Code à usage unique envoyé à ${isText(facts["destination"]) ? facts["destination"] : who}${by(facts["channel"])}`,
  code_verified: (who, facts) => `Code à usage unique saisi et vérifié pour ${who}${waysOf(facts)}`,
  code_refused: (who) => `Code erroné saisi pour ${who}`,
  link_frozen: (who) => `Lien ${ofName(who)} suspendu après trop de codes erronés`,
  consent_given: (who, facts) =>
    `${who} a donné son consentement${facts["method"] === "bulk" ? ", pour un lot de documents" : ""}${versionOf(facts)}`,
  consent_void: (who) => `Consentement ${ofName(who)} resté sans suite`,
  archive_renewed: () => "Horodatage d’archivage d’un document renouvelé",
  print_generated: () => "QR de vérification créé",
};

/** Gives the sentence of an event; one that this version does not know is given by its word. */
export function eventSentence({ action, who, facts }: ToldEvent): string {
  return Object.hasOwn(SENTENCES, action) ? SENTENCES[action as AuditAction](who, facts) : action;
}

/** How the code went, and the link that it was entered behind. */
function waysOf(facts: ToldEvent["facts"]): string {
  if (!isText(facts["channel"])) return "";
  return `\u00a0: code reçu${by(facts["channel"])}${isText(facts["link_channel"]) ? `, lien reçu${by(facts["link_channel"])}` : ""}`;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function levelOf(facts: ToldEvent["facts"]): string {
  return isText(facts["level"]) ? ` (niveau ${facts["level"]})` : "";
}

function versionOf(facts: ToldEvent["facts"]): string {
  return isText(facts["consent_version"]) ? ` (texte de ${facts["consent_version"]})` : "";
}

function reasonOf(facts: ToldEvent["facts"]): string {
  return isText(facts["reason"]) ? `\u00a0: ${quotationOf(facts["reason"])}` : "";
}

function dayOf(facts: ToldEvent["facts"], name: string, before: string): string {
  const at = facts[name];
  return isText(at) && !Number.isNaN(Date.parse(at)) ? `${before}${longDay(new Date(at))}` : "";
}
