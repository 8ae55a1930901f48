import type { AuditAction, AuditEvent, Envelope } from "@paraphe/contracts";
import { formatLongDay } from "../../lib/format-dates.ts";
import { ofName } from "../../lib/of-name.ts";
import type { TimelineItem } from "../../ui/timeline/timeline.tsx";

type Sentence = Pick<TimelineItem, "icon" | "tone"> & { readonly text: string };
type People = Envelope["recipients"];
type Told = Pick<Envelope, "recipients" | "reached">;
/** What a sentence may need beside the name: facts of the event. */
type Facts = AuditEvent["detail"];
/** `left`: a server took the message that the event asked for; of one that asks everybody, somebody was told. */
type Maker = (name: string, facts: Facts, left: boolean) => Sentence;

const fixed =
  (icon: Sentence["icon"], text: string, tone: Sentence["tone"] = "neutral"): Maker =>
  () => ({ icon, tone, text });
const about =
  (icon: Sentence["icon"], sentence: (name: string, facts: Facts, left: boolean) => string, tone: Sentence["tone"] = "neutral"): Maker =>
  (name, facts, left) => ({ icon, tone, text: sentence(name, facts, left) });

/**
 * Every action has its sentence: one without does not compile. The journal knows that a message was asked for, and its moment is that one: « envoyé » is said
 * once a server has taken it, « préparé » of one that waits, was refused or withdrawn, or is not among its person's last ones any more.
 */
const SENTENCES: Readonly<Record<AuditAction, Maker>> = {
  envelope_created: fixed("plus", "Enveloppe créée"),
  envelope_updated: fixed("edit", "Enveloppe modifiée"),
  envelope_sent: about("send", (_name, _facts, left) => (left ? "Enveloppe envoyée" : "Enveloppe ouverte à la signature")),
  envelope_cancelled: fixed("cancel", "Enveloppe annulée", "refused"),
  envelope_restored: fixed("restore", "Enveloppe restaurée"),
  envelope_purged: fixed("trash", "Enveloppe purgée", "refused"),
  envelope_declined: about("cancel", (name) => `${name} a refusé de signer`, "refused"),
  envelope_expired: fixed("clock", "Échéance dépassée", "refused"),
  envelope_completed: about("shield", (_name, facts) => `Document scellé et horodaté${level(facts)}`, "done"),
  recipient_invited: about("mail", (name, facts, left) => `${left ? "Lien envoyé à" : "Invitation préparée pour"} ${name}${by(facts)}`),
  recipient_reminded: about("bell", (name, facts, left) => {
    const automatic = facts["automatic"] === true ? "automatique " : "";
    return `Rappel ${automatic}${left ? "envoyé à" : "préparé pour"} ${name}${by(facts)}`;
  }),
  recipient_address_corrected: about("edit", (name) => `Adresse ${ofName(name)} corrigée`),
  deadline_near: fixed("clock", "Échéance proche\u00a0: rappels demandés"),
  deadline_extended: about("clock", (_name, facts) => `Échéance prolongée${until(facts)}`),
  deadline_changed: about("clock", (_name, facts) => deadlineSentence(facts)),
  deadline_announced: about("clock", (_name, facts, left) => `Nouvelle échéance${left ? " annoncée" : ""}${announced(facts)}`),
  reminders_changed: about("bell", (_name, facts) => remindersSentence(facts)),
  public_page_changed: about("qr", (_name, facts) =>
    facts["proof_only"] === true ? "Page publique\u00a0: document non montré" : "Page publique\u00a0: document visible",
  ),
  extension_requested: about("clock", (name) => `${name} a demandé une prolongation`),
  recipient_viewed: about("eye", (name) => `${name} a ouvert le document`),
  recipient_signed: about("pen", (name) => `${name} a signé`, "done"),
  code_sent: about("lock", (name, facts) => `Code à usage unique envoyé à ${name}${by(facts)}`),
  code_verified: about("lock", (name, facts) => `Code vérifié pour ${name}${waysOf(facts)}`),
  code_refused: about("lock", (name) => `Code erroné saisi par ${name}`, "refused"),
  link_frozen: about("lock", (name) => `Lien ${ofName(name)} suspendu après trop d’erreurs`, "refused"),
  consent_given: about("check", (name, facts) => `${name} a donné son consentement${toBatch(facts)}`),
  consent_void: about("info", (name) => `Consentement ${ofName(name)} resté sans suite`),
  archive_renewed: fixed("shield", "Horodatage du document renouvelé", "done"),
  print_generated: fixed("qr", "QR de vérification créé"),
};

/** Gives the sentence of a journal event. An action the client does not know is still shown, by the name of who acted. */
export function journalSentence(event: AuditEvent, envelope: Told): Sentence {
  const people = envelope.recipients;
  const make = Object.hasOwn(SENTENCES, event.action) ? SENTENCES[event.action as AuditAction] : undefined;
  const named = recipientOf(event, people) ?? event.actor;
  return make?.(named, event.detail, hasLeft(event, envelope)) ?? { icon: "info", tone: "neutral", text: `Action de ${event.actor}` };
}

/** Says who an event is about: the recipient its detail names, if there is one; by the name they had then, should they have left the list. */
function recipientOf(event: AuditEvent, people: People): string | undefined {
  const id = event.detail["recipient"] ?? event.detail["recipient_id"];
  return people.find((person) => person.id === id)?.full_name ?? text(event.detail, "full_name");
}

function hasLeft(event: AuditEvent, { recipients, reached }: Told): boolean {
  const { recipient, message } = event.detail;
  if (recipient === undefined) return reached !== false;
  const state = recipients.find(({ id }) => id === recipient)?.deliveries?.find(({ id }) => id === message)?.state;
  return state === "sent" || state === "delivered";
}

const CHANNELS: Readonly<Record<string, string>> = { email: "par email", sms: "par SMS", either: "par SMS ou par email" };

/** By which way, and to which masked address or number. */
function by(facts: Facts): string {
  const channel = CHANNELS[text(facts, "channel") ?? ""];
  const destination = text(facts, "destination");
  return `${channel === undefined ? "" : ` ${channel}`}${destination === undefined ? "" : ` (${destination})`}`;
}

/** How the code went, and the link that it was entered behind. */
function waysOf(facts: Facts): string {
  const [code, link] = [CHANNELS[text(facts, "channel") ?? ""], CHANNELS[text(facts, "link_channel") ?? ""]];
  return code === undefined ? "" : `\u00a0: code reçu ${code}${link === undefined ? "" : `, lien reçu ${link}`}`;
}

/** One consent for many documents is said in the journal of each. */
function toBatch(facts: Facts): string {
  return facts["method"] === "bulk" ? ", pour un lot de documents" : "";
}

function level(facts: Facts): string {
  const reached = text(facts, "level");
  return reached === undefined ? "" : `, niveau ${reached}`;
}

function until(facts: Facts): string {
  const to = text(facts, "to");
  return to === undefined ? "" : ` au ${formatLongDay(to)}`;
}

function announced(facts: Facts): string {
  const deadline = text(facts, "deadline");
  return deadline === undefined ? "" : `\u00a0: ${formatLongDay(deadline)}`;
}

function deadlineSentence(facts: Facts): string {
  if (text(facts, "to") === undefined) return "Échéance retirée";
  return `Échéance ${text(facts, "from") === undefined ? "fixée" : "déplacée"}${until(facts)}`;
}

function remindersSentence(facts: Facts): string {
  const days = facts["to"];
  if (typeof days !== "number") return "Rappels automatiques arrêtés";
  return `Rappels automatiques\u00a0: ${days === 1 ? "tous les jours" : `tous les ${days} jours`}`;
}

function text(facts: Facts, name: string): string | undefined {
  const value = facts[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
