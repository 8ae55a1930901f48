import { ofName } from "@paraphe/contracts";
import type { EnvelopeAggregate } from "../../envelopes/public.ts";
import type { StoredEvent } from "../../journal/public.ts";
import type { ActFacts } from "../../signing/public.ts";
import { consentsInJournal, type PersonInJournal, peopleInJournal } from "./domain/people-in-journal.ts";
import { type SendingInJournal, sendingInJournal } from "./domain/sending-in-journal.ts";
import { actTold, agreedAt, type Differ, momentTold, personTold, type ToldAct } from "./told-people.ts";

/** What the tables say of an envelope that its journal says too. */
export type Stored = EnvelopeAggregate & { readonly acts: readonly ActFacts[] };
export type Told = EnvelopeAggregate & { readonly acts: readonly ToldAct[] };

/** Of what the file tells, what its journal does not say: it comes from the tables alone. `people`: the ids of those whom no event names. */
export type Unsaid = { readonly deadline: boolean; readonly roles: boolean; readonly people: ReadonlySet<string> };

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
    void differences.push(`${what}\u00a0: l’historique dit «\u00a0${journal}\u00a0», la base «\u00a0${table}\u00a0».`);
  const [people, sending] = [peopleInJournal(events), sendingInJournal(events)];
  differences.push(...sending.removed.map((what) => `L’historique engage ${what}, et le texte en a été retiré.`));
  const rows = stored.recipients.filter((row) => isParty(row, sending, differ));
  for (const [id, { fullName }] of people)
    if (!rows.some((row) => row.id === id)) differ("Une des parties", fullName ?? "un nom effacé", "personne");
  const nameOf = (id: string) => people.get(id)?.fullName ?? rows.find((row) => row.id === id)?.fullName ?? "une personne";
  const acts = actsTold(stored.acts, { events, people, nameOf, differ });
  const agreed = agreedAt(acts, people);
  const recipients = rows.map((row) => personTold(row, { said: people.get(row.id) ?? {}, agreedAt: agreed.get(row.id) ?? null, differ }));
  const unsaid = {
    deadline: deadlineIn(events, sending) === undefined,
    roles: sending.parties === null,
    people: new Set(rows.map(({ id }) => id).filter((id) => people.get(id)?.fullName === undefined)),
  };
  const envelope = envelopeTold(stored.envelope, { events, sending, differ });
  return { told: { ...stored, envelope, recipients, acts }, differences, unsaid, sending };
}

/** What is told of a journal that does not hold: nothing comes from it. */
export function tellWithoutJournal(stored: Stored): ToldByJournal {
  const people = new Set(stored.recipients.map(({ id }) => id));
  const acts = stored.acts.map((act) => ({ ...act, erased: { ip: act.ip === null, userAgent: act.userAgent === null } }));
  return { told: { ...stored, acts }, differences: [], unsaid: { deadline: true, roles: true, people }, sending: sendingInJournal([]) };
}

/** Whether somebody is of those whom the sending wrote down; of a journal of before it is known of signers, or not at all. */
function isParty(row: Told["recipients"][number], { parties, signers }: SendingInJournal, differ: Differ): boolean {
  const isKnown = parties?.has(row.id) ?? (row.role === "viewer" || signers === null || signers.has(row.id));
  if (!isKnown) differ("Une des parties", "personne", row.fullName);
  return isKnown;
}

type ActsWork = {
  readonly events: readonly StoredEvent[];
  readonly people: ReadonlyMap<string, PersonInJournal>;
  readonly nameOf: (id: string) => string;
  readonly differ: Differ;
};

function actsTold(acts: Stored["acts"], { events, people, nameOf, differ }: ActsWork): Told["acts"] {
  const { consents, count } = consentsInJournal(events);
  if (count !== acts.length) differ("Consentements", String(count), String(acts.length));
  for (const [id, { sealedAt }] of people)
    if (sealedAt !== undefined && !acts.some(({ recipientId }) => recipientId === id))
      differ(`Consentement ${ofName(nameOf(id))}`, "a signé", "aucun consentement");
  return acts.flatMap((act) => {
    const name = nameOf(act.recipientId);
    const told = actTold(act, { consents, name, differ });
    const sealedAt = momentTold(act.sealedAt, people.get(act.recipientId)?.sealedAt ?? null, (...said) =>
      differ(`Signature ${ofName(name)}`, ...said),
    );
    return told === null ? [] : [{ ...told, sealedAt }];
  });
}

type EnvelopeWork = { readonly events: readonly StoredEvent[]; readonly sending: SendingInJournal; readonly differ: Differ };

function envelopeTold(envelope: Told["envelope"], { events, sending, differ }: EnvelopeWork): Told["envelope"] {
  const [created] = events;
  const last = (...actions: readonly string[]) => events.findLast(({ action }) => actions.includes(action));
  const sender = created?.action === "envelope_created" ? created.personal["actor_name"]?.value : undefined;
  if (typeof sender === "string" && sender !== envelope.createdByName) differ("Expéditeur", sender, envelope.createdByName);
  const cancelled = last("envelope_cancelled", "envelope_restored");
  const cancelledAt = cancelled?.action === "envelope_cancelled" ? cancelled.at : null;
  const telling = (what: string) => (journal: string, table: string) => differ(what, journal, table);
  return {
    ...envelope,
    createdByName: typeof sender === "string" ? sender : envelope.createdByName,
    createdAt: momentTold(envelope.createdAt, created?.at, telling("Date de création")) ?? envelope.createdAt,
    sentAt: momentTold(envelope.sentAt, last("envelope_sent")?.at ?? null, telling("Date d’envoi")),
    cancelledAt: momentTold(envelope.cancelledAt, cancelledAt, telling("Date d’annulation")),
    deadlineAt: momentTold(envelope.deadlineAt, deadlineIn(events, sending), telling("Échéance")),
  };
}

/** The deadline as it was last set; null: none; undefined: the journal is of before the sending committed to it, and it was never moved. */
function deadlineIn(events: readonly StoredEvent[], { deadline }: SendingInJournal): Date | null | undefined {
  const moved = events.findLast(({ action }) => action === "deadline_changed" || action === "deadline_extended");
  if (moved === undefined) return deadline;
  const to = moved.detail["to"];
  return typeof to === "string" ? new Date(to) : null;
}
