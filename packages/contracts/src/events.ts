import { formatLongDay } from "@paraphe/kernel/french-dates";
import { actingSubject, andList, ofName, refusedBy } from "@paraphe/kernel/french-words";
import type { WebhookType } from "./webhooks.ts";

export type JournalKind = "signatures" | "sends" | "changes";

type Facts = Readonly<Record<string, unknown>>;
/** `who` acts or is asked; `left`: a server accepted the message. */
type Words = { readonly who: string; readonly facts: Facts; readonly left: boolean };
type EventRules = {
  readonly kind: JournalKind;
  readonly icon: EventIcon;
  readonly tone: "neutral" | "done" | "refused";
  /** The journal's page and the evidence file show it. */
  readonly sentence: (words: Words) => string;
} & Effects;
type Effects = {
  readonly message?: EventMessage;
  /** The type that programs receive. */
  readonly webhook?: WebhookType;
  /**
   * `requests`: those that ask to act; `warnings`: of the deadline; `signer_deadlines`: signers'
   * news of it; `old_address`: to a corrected address, or codes alone to a corrected number.
   */
  readonly withdraws?: "requests" | "warnings" | "signer_deadlines" | "old_address";
};
export const MESSAGE_NAMES = {
  invitation: "Invitation",
  code: "Code à usage unique",
  reminder: "Rappel",
  expiring: "Échéance proche",
  extended: "Nouvelle échéance",
  extension_requested: "Demande de prolongation",
  signed: "Avis de signature",
  returned: "Avis de renvoi",
  reassigned: "Avis d’étape confiée",
  late: "Avis de retard d’une étape",
  delegation_used: "Avis de délégation exercée",
  delegation_returned: "Avis de fin de délégation",
  completed: "Avis de fin, exemplaire signé",
  declined: "Avis de refus",
  cancelled: "Avis d’annulation",
  expired: "Avis d’expiration",
} as const;
/** Use cases write these: with a code, a new link, or to chosen recipients. */
type WrittenBesides =
  | "invitation"
  | "code"
  | "reminder"
  | "extended"
  | "reassigned"
  | "delegation_used"
  | "delegation_returned";
/**
 * `asked`: already asked to sign; `others`: except who acted; `unsigned`: who have not signed;
 * `everybody`: each address, once; `named`: in the event; `annulled`: whose answer it voids and who
 * are not asked at once.
 */
export type EventMessage = {
  readonly kind: Exclude<keyof typeof MESSAGE_NAMES, WrittenBesides>;
  readonly toSender: boolean;
  readonly toRecipients?: "asked" | "others" | "unsigned" | "everybody" | "named" | "annulled";
};
export type EventIcon =
  | "bell"
  | "cancel"
  | "check"
  | "clock"
  | "edit"
  | "eye"
  | "info"
  | "lock"
  | "mail"
  | "pen"
  | "plus"
  | "qr"
  | "restore"
  | "send"
  | "shield"
  | "trash";

type Rest = Effects & Partial<Pick<EventRules, "tone">>;
const rules =
  (kind: JournalKind) =>
  (icon: EventIcon, sentence: EventRules["sentence"], rest: Rest = {}): EventRules => ({
    kind,
    icon,
    tone: "neutral",
    sentence,
    ...rest,
  });
const changes = rules("changes");
const sends = rules("sends");
const signatures = rules("signatures");

/**
 * Names never change: published chains have them. « préparé » becomes « envoyé » once a server
 * accepts the message.
 */
export const EVENTS = {
  envelope_created: changes("plus", () => "Enveloppe créée"),
  envelope_updated: changes("edit", ({ facts: { circuit, correction, changed } }) =>
    circuit === undefined
      ? correction === true
        ? `Correction enregistrée\u00a0: ${partsIn(changed)}`
        : "Enveloppe modifiée"
      : circuit === null
        ? "Aucun circuit choisi"
        : `Circuit «\u00a0${textOf(circuit) ?? ""}\u00a0» appliqué`,
  ),
  envelope_sent: sends(
    "send",
    ({ left }) => (left ? "Enveloppe envoyée" : "Enveloppe ouverte à la signature"),
    { webhook: "envelope.sent" },
  ),
  envelope_cancelled: changes("cancel", () => "Enveloppe annulée", {
    tone: "refused",
    message: { kind: "cancelled", toSender: false, toRecipients: "asked" },
    withdraws: "requests",
    webhook: "envelope.cancelled",
  }),
  envelope_restored: changes("restore", () => "Enveloppe restaurée", {
    webhook: "envelope.restored",
  }),
  envelope_passed: changes(
    "edit",
    ({ facts }) =>
      `Enveloppe confiée à ${textOf(facts["to_name"]) ?? "une autre personne"} : ${leaverIn(facts)}`,
  ),
  envelope_purged: changes("trash", () => "Enveloppe purgée", {
    tone: "refused",
    message: { kind: "cancelled", toSender: false, toRecipients: "asked" },
    withdraws: "requests",
    webhook: "envelope.purged",
  }),
  envelope_declined: signatures(
    "cancel",
    (words) => `${actingIn(words)} ${refusedBy(words.facts["role"])}`,
    {
      tone: "refused",
      message: { kind: "declined", toSender: true, toRecipients: "others" },
      withdraws: "requests",
      webhook: "recipient.declined",
    },
  ),
  envelope_expired: changes("clock", () => "Échéance dépassée", {
    tone: "refused",
    message: { kind: "expired", toSender: true, toRecipients: "unsigned" },
    withdraws: "requests",
    webhook: "envelope.expired",
  }),
  envelope_completed: signatures("shield", () => "Document scellé et horodaté", {
    tone: "done",
    message: { kind: "completed", toSender: true, toRecipients: "everybody" },
    withdraws: "warnings",
    webhook: "envelope.completed",
  }),
  recipient_invited: sends(
    "mail",
    ({ who, facts, left }) =>
      `${left ? "Lien envoyé à" : "Invitation préparée pour"} ${who}${wayOf(facts)}`,
  ),
  recipient_reminded: sends("bell", ({ who, facts, left }) => {
    const automatic = facts["automatic"] === true ? "automatique " : "";
    return `Rappel ${automatic}${left ? "envoyé à" : "préparé pour"} ${who}${wayOf(facts)}`;
  }),
  recipient_embedded: sends(
    "plus",
    ({ who, facts }) => `Signature ${ofName(who)} proposée sur ${String(facts["origin"])}`,
  ),
  recipient_address_corrected: changes(
    "edit",
    ({ who, facts }) => {
      const former = textOf(facts["from_name"]);
      if (former !== null && facts["replaced"] === true) return `${who} remplace ${former}`;
      return `Coordonnées ${ofName(former ?? who)} corrigées${former === null ? "" : `\u00a0: ${who}`}`;
    },
    {
      withdraws: "old_address",
    },
  ),
  deadline_near: sends("clock", () => "Échéance proche\u00a0: rappels demandés", {
    message: { kind: "expiring", toSender: true, toRecipients: "named" },
  }),
  step_late: sends("clock", () => "Délai d’une étape passé\u00a0: rappel demandé", {
    message: { kind: "late", toSender: true },
  }),
  deadline_extended: changes(
    "clock",
    ({ facts }) => `Échéance prolongée${dayAfter(" au ", facts["to"])}`,
    { withdraws: "warnings" },
  ),
  deadline_changed: changes("clock", ({ facts }) => deadlineSentence(facts), {
    withdraws: "warnings",
  }),
  deadline_announced: sends(
    "clock",
    ({ facts, left }) =>
      `Nouvelle échéance${left ? " annoncée" : ""}${dayAfter("\u00a0: ", facts["deadline"])}`,
  ),
  reminders_changed: changes("bell", ({ facts }) => remindersSentence(facts["to"])),
  public_page_changed: changes(
    "qr",
    ({ facts }) =>
      `Page publique\u00a0: document ${facts["proof_only"] === true ? "non montré" : "visible"}`,
  ),
  extension_requested: changes("clock", ({ who }) => `${who} a demandé une prolongation`, {
    message: { kind: "extension_requested", toSender: true },
  }),
  recipient_viewed: signatures("eye", (words) => `${actingIn(words)} a ouvert le document`, {
    webhook: "recipient.viewed",
  }),
  recipient_signed: signatures("pen", (words) => `${actingIn(words)} a signé`, {
    tone: "done",
    message: { kind: "signed", toSender: true },
    withdraws: "signer_deadlines",
    webhook: "recipient.signed",
  }),
  visa_given: signatures("check", (words) => `${actingIn(words)} a donné son visa`, {
    tone: "done",
    withdraws: "signer_deadlines",
    webhook: "recipient.approved",
  }),
  step_sent_back: signatures("restore", (words) => sentBackSentence(actingIn(words), words.facts), {
    tone: "refused",
    message: { kind: "returned", toSender: true, toRecipients: "annulled" },
    withdraws: "requests",
    webhook: "recipient.returned",
  }),
  step_reassigned: signatures(
    "edit",
    ({ who, facts }) =>
      facts["departed"] === true
        ? `Étape confiée à ${who} : ${leaverIn(facts)}`
        : `${actingIn({ who: textOf(facts["from_name"]) ?? "Son destinataire", facts })} a confié son étape à ${who}`,
    { withdraws: "old_address" },
  ),
  code_sent: signatures(
    "lock",
    ({ who, facts }) => `Code à usage unique envoyé à ${who}${wayOf(facts)}`,
  ),
  code_verified: signatures(
    "lock",
    ({ who, facts }) => `Code vérifié pour ${who}${bothWaysOf(facts)}`,
  ),
  code_refused: signatures("lock", ({ who }) => `Code erroné saisi pour ${who}`, {
    tone: "refused",
  }),
  link_frozen: signatures(
    "lock",
    ({ who }) => `Lien ${ofName(who)} suspendu après trop d’erreurs`,
    { tone: "refused" },
  ),
  consent_given: signatures(
    "check",
    (words) =>
      `${actingIn(words)} a donné son consentement${words.facts["method"] === "bulk" ? ", pour un lot de documents" : ""}`,
  ),
  consent_void: signatures("info", ({ who }) => `Consentement ${ofName(who)} resté sans suite`),
  archive_renewed: signatures("shield", () => "Horodatage du document renouvelé", { tone: "done" }),
  print_generated: changes("qr", () => "QR de vérification créé"),
} as const satisfies Readonly<Record<string, EventRules>>;
export type EventName = keyof typeof EVENTS;

/** Null for an event unknown to this version. */
export function eventRules(name: string): EventRules | null {
  return Object.hasOwn(EVENTS, name) ? EVENTS[name as EventName] : null;
}

const WAYS: Readonly<Record<string, string>> = {
  email: "par email",
  sms: "par SMS",
  either: "par SMS ou par email",
};

function leaverIn(facts: Facts): string {
  return `${textOf(facts["from_name"]) ?? "son titulaire"} n’est plus membre de l’organisation`;
}

function actingIn({ who, facts }: Pick<Words, "who" | "facts">): string {
  return actingSubject(who, textOf(facts["delegate_name"]));
}

function wayOf(facts: Facts): string {
  const way = WAYS[textOf(facts["channel"]) ?? ""];
  const destination = textOf(facts["destination"]);
  return `${way === undefined ? "" : ` ${way}`}${destination === null ? "" : ` (${destination})`}`;
}

function bothWaysOf(facts: Facts): string {
  const [code, link] = [
    WAYS[textOf(facts["channel"]) ?? ""],
    WAYS[textOf(facts["link_channel"]) ?? ""],
  ];
  return code === undefined
    ? ""
    : `\u00a0: code reçu ${code}${link === undefined ? "" : `, lien reçu ${link}`}`;
}

function deadlineSentence({ from, to }: Facts): string {
  if (textOf(to) === null) return "Échéance retirée";
  return `Échéance ${textOf(from) === null ? "fixée" : "déplacée"}${dayAfter(" au ", to)}`;
}

const CORRECTED: Readonly<Record<string, string>> = {
  title: "titre",
  message: "message",
  deadline_at: "échéance",
  flow: "ordre de signature",
  reminders: "rappels",
  team: "équipe",
  recipients: "destinataires",
  fields: "champs",
  document_kind: "genre de document",
};

function partsIn(changed: unknown): string {
  const parts = Array.isArray(changed) ? changed.map((part) => CORRECTED[part] ?? "fichiers") : [];
  return [...new Set(parts)].join(", ");
}

function sentBackSentence(who: string, facts: Facts): string {
  const { order, annulled, annulled_visas: visas } = facts;
  const signatures = lostIn("signature", annulled, facts["annulled_names"]);
  const lost = signatures + lostIn("visa", visas, facts["annulled_visa_names"]);
  const where = order === 0 ? "à la préparation" : `à l’étape ${Number(order)}`;
  return `${who} a renvoyé le document ${where}${lost}`;
}

function lostIn(what: "signature" | "visa", ids: unknown, names: unknown): string {
  const count = Array.isArray(ids) ? ids.length : 0;
  if (count === 0) return "";
  const whose = Array.isArray(names) ? ` ${andList(names.map(ofName))}` : "";
  const [one, end] = what === "signature" ? ["une", "annulée"] : ["un", "annulé"];
  const article = whose === "" ? `${count > 1 ? count : one} ` : "";
  const plural = count > 1 ? "s" : "";
  return `, ${article}${what}${plural}${whose} ${end}${plural}`;
}

function remindersSentence(days: unknown): string {
  if (typeof days !== "number") return "Rappels automatiques arrêtés";
  return `Rappels automatiques\u00a0: ${days === 1 ? "tous les jours" : `tous les ${days}\u00a0jours`}`;
}

function dayAfter(words: string, at: unknown): string {
  const instant = textOf(at);
  return instant === null || Number.isNaN(Date.parse(instant))
    ? ""
    : `${words}${formatLongDay(instant)}`;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
