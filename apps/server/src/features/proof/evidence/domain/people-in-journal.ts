/** An event as people are read from it: its chain, and the commitments of its personal values, were checked before. */
export type PeopleEvent = {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly personal: Readonly<Record<string, { readonly value: unknown }>>;
};

/** What a journal says of somebody. What it never said, or what was erased of it, is left out; `phoneNumber` is null where it says that there is none. */
export type PersonInJournal = {
  readonly fullName?: string;
  readonly email?: string;
  readonly phoneNumber?: string | null;
  readonly role?: string;
  /** Whether they were ever asked. */
  readonly invited?: boolean;
  /** When they came to look: after a reopening, once more; who was at an address that was corrected since is forgotten. */
  readonly viewedAt?: readonly Date[];
  /** When their signature was in the files. */
  readonly sealedAt?: Date;
  readonly declinedAt?: Date;
  readonly declineReason?: string;
};

/**
 * What somebody agreed to, and from where, as the journal has it: `since` and `at` are the earliest and the latest moment that it gives. `person` is null for a
 * member, whom the event names by the account; `ip` and `userAgent` are null where none was noted, undefined where they were erased.
 */
export type ConsentInJournal = {
  readonly person: string | null;
  readonly since: Date;
  readonly at: Date;
  readonly method: string | null;
  readonly consentVersion: string | null;
  readonly documentsSha256: string | null;
  readonly ip: string | null | undefined;
  readonly userAgent: string | null | undefined;
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const isCommitted = ({ detail }: PeopleEvent, name: string): boolean => Object.hasOwn(Object(detail["commitments"]), name);
const valueOf = ({ personal }: PeopleEvent, name: string): string | undefined => textOf(personal[name]?.value);

/** Gives what a journal says of people, by the ids of the recipients: each later event stands over those before it. */
export function peopleInJournal(events: readonly PeopleEvent[]): ReadonlyMap<string, PersonInJournal> {
  const people = new Map<string, PersonInJournal>();
  const tell = (id: string | undefined, said: PersonInJournal) => {
    if (id === undefined) return;
    const known = Object.entries(said).filter(([, value]) => value !== undefined);
    people.set(id, { ...people.get(id), ...Object.fromEntries(known) });
  };
  for (const event of events) {
    const { action, at, actor, detail } = event;
    const actorId = actor.startsWith("recipient:") ? actor.slice("recipient:".length) : undefined;
    const recipient = textOf(detail["recipient"]);
    if (action === "envelope_sent" || action === "envelope_created") for (const [id, said] of partiesOf(event)) tell(id, said);
    if (action === "recipient_invited")
      tell(
        recipient,
        optional({
          fullName: valueOf(event, "full_name"),
          email: valueOf(event, "email"),
          phoneNumber: valueOf(event, "phone_number"),
          invited: true,
        }),
      );
    if (action === "recipient_address_corrected") {
      // Whether the number was taken away is told by what is committed to; what was erased since is not known any more.
      const phoneNumber = isCommitted(event, "phone_number") ? valueOf(event, "phone_number") : null;
      const { email: _email, phoneNumber: _phone, viewedAt, ...rest } = people.get(recipient ?? "") ?? {};
      const seen = detail["email"] === true || viewedAt === undefined ? {} : { viewedAt };
      if (recipient !== undefined) people.set(recipient, { ...rest, ...seen });
      tell(recipient, optional({ email: valueOf(event, "email"), phoneNumber }));
    }
    if (action === "recipient_viewed") tell(actorId, { viewedAt: [...(people.get(actorId ?? "")?.viewedAt ?? []), at] });
    if (action === "recipient_signed") tell(actorId, optional({ fullName: valueOf(event, "actor_name"), sealedAt: at }));
    if (action === "envelope_declined") tell(actorId, optional({ declinedAt: at, declineReason: valueOf(event, "reason") }));
  }
  return people;
}

function optional(said: { readonly [Name in keyof PersonInJournal]: PersonInJournal[Name] | undefined }): PersonInJournal {
  return said as PersonInJournal;
}

/** Who was written down when the envelope was sent: in `recipients`, texts of JSON. Journals of before have none. */
function partiesOf({ personal }: PeopleEvent): readonly (readonly [string, PersonInJournal])[] {
  const parties = personal["recipients"]?.value;
  return (Array.isArray(parties) ? parties : []).flatMap((text: unknown): (readonly [string, PersonInJournal])[] => {
    const { id, role, full_name, email, phone_number } = JSON.parse(String(text)) as Readonly<Record<string, unknown>>;
    const phoneNumber = phone_number === null ? null : textOf(phone_number);
    return [[String(id), optional({ role: textOf(role), fullName: textOf(full_name), email: textOf(email), phoneNumber })]];
  });
}

/** Gives the consents that stand: one that came to nothing is withdrawn by an event of its own. */
export function consentsInJournal(events: readonly PeopleEvent[]): {
  readonly consents: readonly ConsentInJournal[];
  readonly count: number;
} {
  const given = events.filter(({ action }) => action === "consent_given");
  const withdrawn = events.filter(({ action }) => action === "consent_void").length;
  return { consents: given.map(consentOf), count: given.length - withdrawn };
}

function consentOf(event: PeopleEvent): ConsentInJournal {
  const { at, actor, detail } = event;
  const stated = textOf(detail["consented_at"]);
  const noted = (name: string) => (isCommitted(event, name) ? valueOf(event, name) : null);
  return {
    person: actor.startsWith("recipient:") ? actor.slice("recipient:".length) : null,
    since: stated !== undefined && new Date(stated) < at ? new Date(stated) : at,
    at,
    method: textOf(detail["method"]) ?? null,
    consentVersion: textOf(detail["consent_version"]) ?? null,
    documentsSha256: textOf(detail["documents_sha256"]) ?? null,
    ip: noted("ip"),
    userAgent: noted("user_agent"),
  };
}
