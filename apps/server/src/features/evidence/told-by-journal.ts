import type { StoredEvent } from "../audit/index.ts";
import type { EnvelopeAggregate, EnvelopeRecipient } from "../envelopes/index.ts";
import type { ActFacts } from "../sealing/index.ts";
import { type ConsentInJournal, consentsInJournal, type PersonInJournal, peopleInJournal } from "./domain/people-in-journal.ts";
import { longInstant } from "./domain/french-instant.ts";

/** What the tables say of an envelope that its journal says too. */
export type Told = EnvelopeAggregate & { readonly acts: readonly ActFacts[] };

/** `told`: with the journal's words in the place of those that differ; `differences`: in French. */
export type ToldByJournal = { readonly told: Told; readonly differences: readonly string[] };

/** Two writings of one moment are made in one transaction, which may have waited: further apart than this, one of them was changed. */
const MARGIN_MS = 10 * 60_000;

/**
 * Holds who took part and how they agreed, as the tables have it, against a journal that is whole, and gives what the journal says wherever it says it.
 * Of what was erased from the journal, or was never in it, the tables are all there is.
 */
export function tellByJournal(stored: Told, events: readonly StoredEvent[]): ToldByJournal {
  const differences: string[] = [];
  const differ: Differ = (what, journal, table) =>
    void differences.push(`${what}\u00a0: le journal dit «\u00a0${journal}\u00a0», la base «\u00a0${table}\u00a0».`);
  const people = peopleInJournal(events);
  const recipients = stored.recipients.map((row) => personTold(row, people.get(row.id) ?? {}, differ));
  for (const [id, { fullName }] of people)
    if (!stored.recipients.some((row) => row.id === id)) differ("Une des parties", fullName ?? "un nom effacé", "personne");
  const { consents, count } = consentsInJournal(events);
  if (count !== stored.acts.length) differ("Consentements", String(count), String(stored.acts.length));
  const nameOf = (id: string) => recipients.find((row) => row.id === id)?.fullName ?? "une personne";
  const sealed = new Map(events.flatMap(({ action, actor, at }) => (action === "recipient_signed" ? [[actor, at] as const] : [])));
  const acts = stored.acts.map((act) => {
    const name = nameOf(act.recipientId);
    const sealedAt = momentTold(act.sealedAt, sealed.get(`recipient:${act.recipientId}`) ?? null, (...said) =>
      differ(`Signature de ${name}`, ...said),
    );
    return { ...actTold(act, { consents, name, differ }), sealedAt };
  });
  return { told: { ...stored, envelope: envelopeTold(stored.envelope, events, differ), recipients, acts }, differences };
}

type Differ = (what: string, journal: string, table: string) => void;

const instant = (at: Date | null): string => (at === null ? "aucune date" : longInstant(at));
const isNear = (one: Date | null, other: Date | null): boolean =>
  one === null || other === null ? one === other : Math.abs(one.getTime() - other.getTime()) <= MARGIN_MS;

/** Gives the journal's moment where the table's is another one; `undefined`: the journal does not tell. */
function momentTold(table: Date | null, journal: Date | null | undefined, say: (journal: string, table: string) => void): Date | null {
  if (journal === undefined || isNear(table, journal)) return table;
  say(instant(journal), instant(table));
  return journal;
}

function nearestTo(moment: Date, others: readonly Date[]): Date | null {
  const far = (other: Date) => Math.abs(other.getTime() - moment.getTime());
  return others.toSorted((one, other) => far(one) - far(other))[0] ?? null;
}

function envelopeTold(envelope: Told["envelope"], events: readonly StoredEvent[], differ: Differ): Told["envelope"] {
  const [created] = events;
  const last = (...actions: readonly string[]) => events.findLast(({ action }) => actions.includes(action));
  const sender = created?.action === "envelope_created" ? created.personal["actor_name"]?.value : undefined;
  if (typeof sender === "string" && sender !== envelope.createdByName) differ("Expéditeur", sender, envelope.createdByName);
  const cancelled = last("envelope_cancelled", "envelope_restored");
  const deadline = last("deadline_changed", "deadline_extended")?.detail["to"];
  return {
    ...envelope,
    createdByName: typeof sender === "string" ? sender : envelope.createdByName,
    createdAt: momentTold(envelope.createdAt, created?.at, (...said) => differ("Date de création", ...said)) ?? envelope.createdAt,
    sentAt: momentTold(envelope.sentAt, last("envelope_sent")?.at ?? null, (...said) => differ("Date d’envoi", ...said)),
    cancelledAt:
      cancelled?.action === "envelope_cancelled"
        ? momentTold(envelope.cancelledAt, cancelled.at, (...said) => differ("Date d’annulation", ...said))
        : envelope.cancelledAt,
    deadlineAt: momentTold(
      envelope.deadlineAt,
      typeof deadline === "string" ? new Date(deadline) : deadline === null ? null : undefined,
      (...said) => differ("Échéance", ...said),
    ),
  };
}

function personTold(row: EnvelopeRecipient, said: PersonInJournal, differ: Differ): EnvelopeRecipient {
  const name = said.fullName ?? row.fullName;
  const text = <T extends string | null>(what: string, journal: T | undefined, table: T): T => {
    if (journal === undefined || journal === table) return table;
    differ(`${what} de ${name}`, journal ?? "rien", table ?? "rien");
    return journal;
  };
  return {
    ...row,
    fullName: text("Nom", said.fullName, row.fullName),
    email: text("Adresse", said.email, row.email),
    phoneNumber: text("Téléphone", said.phoneNumber, row.phoneNumber),
    role: text<EnvelopeRecipient["role"]>("Qualité", said.role as EnvelopeRecipient["role"] | undefined, row.role),
    declineReason: text("Motif du refus", said.declineReason, row.declineReason),
    // That somebody looked, or refused, is in the journal or was not. Whether they looked is asked anew once an envelope is reopened.
    viewedAt: momentTold(row.viewedAt, row.viewedAt === null ? undefined : nearestTo(row.viewedAt, said.viewedAt ?? []), (...moments) =>
      differ(`Ouverture des documents par ${name}`, ...moments),
    ),
    declinedAt: momentTold(row.declinedAt, said.declinedAt ?? null, (...moments) => differ(`Refus de ${name}`, ...moments)),
  };
}

type ActWork = { readonly consents: readonly ConsentInJournal[]; readonly name: string; readonly differ: Differ };

/** Gives an act as its consent is told: by the person themselves, or by the member whose consent says most of what the act does. */
function actTold(act: ActFacts, { consents, name, differ }: ActWork): ActFacts {
  const theirs = consents.filter(({ person }) => person === act.recipientId);
  const candidates = theirs.length > 0 ? theirs : consents.filter(({ person }) => person === null);
  const [consent] = candidates.toSorted((one, other) => faultsOf(act, one).length - faultsOf(act, other).length);
  if (consent === undefined) {
    differ(`Consentement de ${name}`, "aucun", instant(act.signedAt));
    return act;
  }
  for (const [what, journal, table] of faultsOf(act, consent)) differ(`${what} de ${name}`, journal, table);
  return {
    ...act,
    method: (consent.method ?? act.method) as ActFacts["method"],
    consentVersion: consent.consentVersion ?? act.consentVersion,
    documentsSha256: consent.documentsSha256 === null ? act.documentsSha256 : new Uint8Array(Buffer.from(consent.documentsSha256, "hex")),
    ip: consent.ip ?? (consent.ip === null ? null : act.ip),
    userAgent: consent.userAgent ?? (consent.userAgent === null ? null : act.userAgent),
    signedAt: isWithin(act.signedAt, consent) ? act.signedAt : consent.since,
  };
}

const isWithin = (at: Date, { since, at: until }: ConsentInJournal): boolean =>
  at.getTime() >= since.getTime() - MARGIN_MS && at.getTime() <= until.getTime() + MARGIN_MS;

/** What an act says otherwise than a consent: what, as the journal has it, as the table has it. */
function faultsOf(act: ActFacts, consent: ConsentInJournal): readonly (readonly [string, string, string])[] {
  const faults: (readonly [string, string, string])[] = [];
  const hold = (what: string, journal: string | null | undefined, table: string | null) => {
    // A journal that does not say it, or whose value was erased, holds nothing against a table; nor does one that was erased from the table.
    if (journal === undefined || table === null || journal === table) return;
    faults.push([what, journal ?? "rien", table]);
  };
  hold("Moyen de signature", consent.method ?? undefined, act.method);
  hold("Version du consentement", consent.consentVersion ?? undefined, act.consentVersion);
  hold("Empreinte des documents lus", consent.documentsSha256 ?? undefined, Buffer.from(act.documentsSha256).toString("hex"));
  hold("Adresse IP", consent.ip, act.ip);
  hold("Navigateur", consent.userAgent, act.userAgent === "" ? null : act.userAgent);
  if (!isWithin(act.signedAt, consent)) faults.push(["Moment du consentement", instant(consent.since), instant(act.signedAt)]);
  return faults;
}
