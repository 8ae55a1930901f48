import { formatExactInstant } from "@paraphe/kernel/french-dates";
import { ofName } from "@paraphe/kernel/french-words";
import type { EnvelopeAggregate, EnvelopeRecipient } from "../../envelopes/public.ts";
import type { StoredEvent } from "../../journal/public.ts";
import type { ActFacts } from "../../signing/public.ts";
import {
  type ConsentInJournal,
  consentsInJournal,
  peopleInJournal,
  type PersonInJournal,
  type SendingInJournal,
  sendingInJournal,
} from "./domain/people-in-journal.ts";

/** How one person agreed, as it is told; `erased`: what the journal had noted of where from, and is not there any more. */
export type ToldAct = ActFacts & {
  readonly erased: { readonly ip: boolean; readonly userAgent: boolean };
};

/** Tells a difference: of what, as the journal has it, as the table has it. */
type Differ = (what: string, journal: string, table: string) => void;

/** Two writings of one moment are made in one transaction, which may have waited: further apart than this, one of them was changed. */
const MARGIN_MS = 10 * 60_000;

const instant = (at: Date | null): string => (at === null ? "aucune date" : formatExactInstant(at));
const distance = (one: Date, other: Date): number => Math.abs(one.getTime() - other.getTime());
const isNear = (one: Date | null, other: Date | null): boolean =>
  one === null || other === null ? one === other : distance(one, other) <= MARGIN_MS;

/** Gives the journal's moment, and says where the table's is another one; `undefined`: the journal does not tell. */
function momentTold(
  table: Date | null,
  journal: Date | null | undefined,
  say: (journal: string, table: string) => void,
): Date | null {
  if (journal === undefined) return table;
  if (!isNear(table, journal)) say(instant(journal), instant(table));
  return journal;
}

function nearestTo(moment: Date, others: readonly Date[]): Date | null {
  return (
    others.toSorted((one, other) => distance(one, moment) - distance(other, moment))[0] ?? null
  );
}

/** When each person agreed: by the consent that is told, or, its row being gone, when their signature was in the files. */
function agreedAt(
  acts: readonly ActFacts[],
  people: ReadonlyMap<string, PersonInJournal>,
): ReadonlyMap<string, Date> {
  const sealed = [...people].flatMap(([id, { sealedAt }]) =>
    sealedAt === undefined ? [] : [[id, sealedAt] as const],
  );
  return new Map([
    ...sealed,
    ...acts.map(({ recipientId, signedAt }) => [recipientId, signedAt] as const),
  ]);
}

/** `agreedAt`: when they agreed, as it is told; null: they have not. */
type PersonWork = {
  readonly said: PersonInJournal;
  readonly agreedAt: Date | null;
  readonly differ: Differ;
};

/** Gives somebody as the journal tells of them, what it does not say as the row has it. */
function personTold(
  row: EnvelopeRecipient,
  { said, agreedAt: agreed, differ }: PersonWork,
): EnvelopeRecipient {
  const name = said.fullName ?? row.fullName;
  const text = <T extends string | null>(what: string, journal: T | undefined, table: T): T => {
    if (journal === undefined || journal === table) return table;
    differ(`${what} ${ofName(name)}`, journal ?? "rien", table ?? "rien");
    return journal;
  };
  const telling = (what: string) => (journal: string, table: string) =>
    differ(what, journal, table);
  const status = statusTold(row, said);
  if (status !== row.status) differ(`État ${ofName(name)}`, STATES[status], STATES[row.status]);
  // Whether they looked is asked anew once an envelope is reopened: a row may not tell what the journal does.
  const viewed = said.viewedAt ?? [];
  const viewedAt =
    row.viewedAt === null ? (viewed.at(-1) ?? null) : nearestTo(row.viewedAt, viewed);
  return {
    ...row,
    fullName: text("Nom", said.fullName, row.fullName),
    email: text("Adresse", said.email, row.email),
    phoneNumber: text("Téléphone", said.phoneNumber, row.phoneNumber),
    role: text<EnvelopeRecipient["role"]>(
      "Qualité",
      said.role as EnvelopeRecipient["role"] | undefined,
      row.role,
    ),
    status,
    declineReason: text(
      "Motif du refus",
      said.declinedAt === undefined ? null : said.declineReason,
      row.declineReason,
    ),
    viewedAt:
      row.viewedAt === null
        ? viewedAt
        : momentTold(row.viewedAt, viewedAt, telling(`Ouverture des documents par ${name}`)),
    signedAt: momentTold(
      row.signedAt,
      status === "signed" ? agreed : null,
      telling(`Date du consentement ${ofName(name)}`),
    ),
    declinedAt: momentTold(
      row.declinedAt,
      said.declinedAt ?? null,
      telling(`Refus ${ofName(name)}`),
    ),
  };
}

const STATES: Readonly<Record<EnvelopeRecipient["status"], string>> = {
  waiting: "pas encore invité",
  notified: "invité",
  viewed: "a ouvert les documents",
  signed: "a signé",
  declined: "a refusé",
};

/** What somebody did is in the journal, or they did not do it; who is in copy is told at the end, of which no event is written. */
function statusTold(
  { status, role }: EnvelopeRecipient,
  { sealedAt, declinedAt, viewedAt, invited }: PersonInJournal,
) {
  if (sealedAt !== undefined) return "signed";
  if (declinedAt !== undefined) return "declined";
  if (status === "signed" || status === "declined")
    return viewedAt !== undefined ? "viewed" : invited === true ? "notified" : "waiting";
  return status === "waiting" && role !== "viewer" && invited === true ? "notified" : status;
}

type ActWork = {
  readonly consents: readonly ConsentInJournal[];
  readonly name: string;
  readonly differ: Differ;
};

/** Gives an act as its consent is told: by the person themselves, or by the member whose consent says most of what the act does. Null: nobody consented to it. */
function actTold(act: ActFacts, { consents, name, differ }: ActWork): ToldAct | null {
  const theirs = consents.filter(({ person }) => person === act.recipientId);
  const candidates = theirs.length > 0 ? theirs : consents.filter(({ person }) => person === null);
  const far = (consent: ConsentInJournal) => distance(consent.since, act.signedAt);
  const [consent] = candidates.toSorted(
    (one, other) =>
      faultsOf(act, one).length - faultsOf(act, other).length || far(one) - far(other),
  );
  if (consent === undefined) {
    differ(`Consentement ${ofName(name)}`, "aucun", instant(act.signedAt));
    return null;
  }
  for (const [what, journal, table] of faultsOf(act, consent))
    differ(`${what} ${ofName(name)}`, journal, table);
  return {
    ...act,
    method: (consent.method ?? act.method) as ActFacts["method"],
    consentVersion: consent.consentVersion ?? act.consentVersion,
    documentsSha256:
      consent.documentsSha256 === null
        ? act.documentsSha256
        : new Uint8Array(Buffer.from(consent.documentsSha256, "hex")),
    // What was erased of the journal is not told again by a table.
    ip: consent.ip ?? null,
    userAgent: consent.userAgent ?? null,
    erased: { ip: consent.ip === undefined, userAgent: consent.userAgent === undefined },
    signedAt: consent.since,
  };
}

const isWithin = (at: Date, { since, at: until }: ConsentInJournal): boolean =>
  at.getTime() >= since.getTime() - MARGIN_MS && at.getTime() <= until.getTime() + MARGIN_MS;

/** What an act says otherwise than a consent: what, as the journal has it, as the table has it. */
function faultsOf(
  act: ActFacts,
  consent: ConsentInJournal,
): readonly (readonly [string, string, string])[] {
  const faults: (readonly [string, string, string])[] = [];
  const hold = (what: string, journal: string | null | undefined, table: string | null) => {
    // A journal that does not say it, or whose value was erased, holds nothing against a table; nor does one that was erased from the table.
    if (journal === undefined || table === null || journal === table) return;
    faults.push([what, journal ?? "rien", table]);
  };
  hold("Moyen de signature", consent.method ?? undefined, act.method);
  hold("Version du consentement", consent.consentVersion ?? undefined, act.consentVersion);
  hold(
    "Empreinte des documents lus",
    consent.documentsSha256 ?? undefined,
    Buffer.from(act.documentsSha256).toString("hex"),
  );
  hold("Adresse IP", consent.ip, act.ip);
  hold("Navigateur", consent.userAgent, act.userAgent === "" ? null : act.userAgent);
  if (!isWithin(act.signedAt, consent))
    faults.push(["Moment du consentement", instant(consent.since), instant(act.signedAt)]);
  return faults;
}

/** What the tables say of an envelope that its journal says too. */
type Stored = EnvelopeAggregate & { readonly acts: readonly ActFacts[] };
type Told = EnvelopeAggregate & { readonly acts: readonly ToldAct[] };

/** Of what the file tells, what its journal does not say: it comes from the tables alone. `people`: the ids of those whom no event names. */
export type Unsaid = {
  readonly deadline: boolean;
  readonly roles: boolean;
  readonly people: ReadonlySet<string>;
};

/** `told`: with the journal's words in the place of those that differ, and nobody whom it does not have; `differences`: in French. */
export type ToldByJournal = {
  readonly told: Told;
  readonly differences: readonly string[];
  readonly unsaid: Unsaid;
  readonly sending: SendingInJournal;
};

/**
 * Holds who took part and how they agreed, as the tables have it, against a journal that is whole, both ways, and gives what the journal says wherever it says it.
 * Of what was never in it the tables are all there is, which is told.
 */
export function tellByJournal(stored: Stored, events: readonly StoredEvent[]): ToldByJournal {
  const differences: string[] = [];
  const differ: Differ = (what, journal, table) =>
    void differences.push(
      `${what}\u00a0: l’historique dit «\u00a0${journal}\u00a0», la base «\u00a0${table}\u00a0».`,
    );
  const [people, sending] = [peopleInJournal(events), sendingInJournal(events)];
  differences.push(
    ...sending.removed.map((what) => `L’historique engage ${what}, et le texte en a été retiré.`),
  );
  const rows = stored.recipients.filter((row) => isParty(row, sending, differ));
  for (const [id, { fullName }] of people)
    if (!rows.some((row) => row.id === id))
      differ("Une des parties", fullName ?? "un nom effacé", "personne");
  const nameOf = (id: string) =>
    people.get(id)?.fullName ?? rows.find((row) => row.id === id)?.fullName ?? "une personne";
  const acts = actsTold(stored.acts, { events, people, nameOf, differ });
  const agreed = agreedAt(acts, people);
  const recipients = rows.map((row) =>
    personTold(row, {
      said: people.get(row.id) ?? {},
      agreedAt: agreed.get(row.id) ?? null,
      differ,
    }),
  );
  const unsaid = {
    deadline: deadlineIn(events, sending) === undefined,
    roles: sending.parties === null,
    people: new Set(
      rows.map(({ id }) => id).filter((id) => people.get(id)?.fullName === undefined),
    ),
  };
  const envelope = envelopeTold(stored.envelope, { events, sending, differ });
  return { told: { ...stored, envelope, recipients, acts }, differences, unsaid, sending };
}

/** What is told of a journal that does not hold: nothing comes from it. */
export function tellWithoutJournal(stored: Stored): ToldByJournal {
  const people = new Set(stored.recipients.map(({ id }) => id));
  const acts = stored.acts.map((act) => ({
    ...act,
    erased: { ip: act.ip === null, userAgent: act.userAgent === null },
  }));
  return {
    told: { ...stored, acts },
    differences: [],
    unsaid: { deadline: true, roles: true, people },
    sending: sendingInJournal([]),
  };
}

/** Whether somebody is of those whom the sending wrote down; of a journal of before it is known of signers, or not at all. */
function isParty(
  row: Told["recipients"][number],
  { parties, signers }: SendingInJournal,
  differ: Differ,
): boolean {
  const isKnown =
    parties?.has(row.id) ?? (row.role === "viewer" || signers === null || signers.has(row.id));
  if (!isKnown) differ("Une des parties", "personne", row.fullName);
  return isKnown;
}

type ActsWork = {
  readonly events: readonly StoredEvent[];
  readonly people: ReadonlyMap<string, PersonInJournal>;
  readonly nameOf: (id: string) => string;
  readonly differ: Differ;
};

function actsTold(
  acts: Stored["acts"],
  { events, people, nameOf, differ }: ActsWork,
): Told["acts"] {
  const { consents, count } = consentsInJournal(events);
  if (count !== acts.length) differ("Consentements", String(count), String(acts.length));
  for (const [id, { sealedAt }] of people)
    if (sealedAt !== undefined && !acts.some(({ recipientId }) => recipientId === id))
      differ(`Consentement ${ofName(nameOf(id))}`, "a signé", "aucun consentement");
  return acts.flatMap((act) => {
    const name = nameOf(act.recipientId);
    const told = actTold(act, { consents, name, differ });
    const sealedAt = momentTold(
      act.sealedAt,
      people.get(act.recipientId)?.sealedAt ?? null,
      (...said) => differ(`Signature ${ofName(name)}`, ...said),
    );
    return told === null ? [] : [{ ...told, sealedAt }];
  });
}

type EnvelopeWork = {
  readonly events: readonly StoredEvent[];
  readonly sending: SendingInJournal;
  readonly differ: Differ;
};

function envelopeTold(
  envelope: Told["envelope"],
  { events, sending, differ }: EnvelopeWork,
): Told["envelope"] {
  const [created] = events;
  const last = (...actions: readonly string[]) =>
    events.findLast(({ action }) => actions.includes(action));
  const sender =
    created?.action === "envelope_created" ? created.personal["actor_name"]?.value : undefined;
  if (typeof sender === "string" && sender !== envelope.createdByName)
    differ("Expéditeur", sender, envelope.createdByName);
  const cancelled = last("envelope_cancelled", "envelope_restored");
  const cancelledAt = cancelled?.action === "envelope_cancelled" ? cancelled.at : null;
  const telling = (what: string) => (journal: string, table: string) =>
    differ(what, journal, table);
  return {
    ...envelope,
    createdByName: typeof sender === "string" ? sender : envelope.createdByName,
    createdAt:
      momentTold(envelope.createdAt, created?.at, telling("Date de création")) ??
      envelope.createdAt,
    sentAt: momentTold(envelope.sentAt, last("envelope_sent")?.at ?? null, telling("Date d’envoi")),
    cancelledAt: momentTold(envelope.cancelledAt, cancelledAt, telling("Date d’annulation")),
    deadlineAt: momentTold(envelope.deadlineAt, deadlineIn(events, sending), telling("Échéance")),
  };
}

/** The deadline as it was last set; null: none; undefined: the journal is of before the sending committed to it, and it was never moved. */
function deadlineIn(
  events: readonly StoredEvent[],
  { deadline }: SendingInJournal,
): Date | null | undefined {
  const moved = events.findLast(
    ({ action }) => action === "deadline_changed" || action === "deadline_extended",
  );
  if (moved === undefined) return deadline;
  const to = moved.detail["to"];
  return typeof to === "string" ? new Date(to) : null;
}
