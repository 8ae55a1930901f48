/** An event as people are read from it: its chain, and the commitments of its personal values, were checked before. */
type PeopleEvent = {
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

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;
const isCommitted = ({ detail }: PeopleEvent, name: string): boolean =>
  Object.hasOwn(Object(detail["commitments"]), name);
const valueOf = ({ personal }: PeopleEvent, name: string): string | undefined =>
  textOf(personal[name]?.value);

/** Gives what a journal says of people, by the ids of the recipients: each later event stands over those before it. */
export function peopleInJournal(
  events: readonly PeopleEvent[],
): ReadonlyMap<string, PersonInJournal> {
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
    if (action === "envelope_sent" || action === "envelope_created")
      for (const [id, said] of partiesOf(event)) tell(id, said);
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
      const phoneNumber = isCommitted(event, "phone_number")
        ? valueOf(event, "phone_number")
        : null;
      const {
        email: _email,
        phoneNumber: _phone,
        viewedAt,
        ...rest
      } = people.get(recipient ?? "") ?? {};
      const seen = detail["email"] === true || viewedAt === undefined ? {} : { viewedAt };
      if (recipient !== undefined) people.set(recipient, { ...rest, ...seen });
      tell(recipient, optional({ email: valueOf(event, "email"), phoneNumber }));
    }
    if (action === "recipient_viewed")
      tell(actorId, { viewedAt: [...(people.get(actorId ?? "")?.viewedAt ?? []), at] });
    if (action === "recipient_signed")
      tell(actorId, optional({ fullName: valueOf(event, "actor_name"), sealedAt: at }));
    if (action === "envelope_declined")
      tell(actorId, optional({ declinedAt: at, declineReason: valueOf(event, "reason") }));
  }
  return people;
}

function optional(
  said: { readonly [Name in keyof PersonInJournal]: PersonInJournal[Name] | undefined },
): PersonInJournal {
  return said as PersonInJournal;
}

/** Who was written down when the envelope was sent: in `recipients`, texts of JSON. Journals of before have none. */
function partiesOf({ personal }: PeopleEvent): readonly (readonly [string, PersonInJournal])[] {
  const parties = personal["recipients"]?.value;
  return (Array.isArray(parties) ? parties : []).flatMap(
    (text: unknown): (readonly [string, PersonInJournal])[] => {
      const { id, role, full_name, email, phone_number } = JSON.parse(String(text)) as Readonly<
        Record<string, unknown>
      >;
      const phoneNumber = phone_number === null ? null : textOf(phone_number);
      return [
        [
          String(id),
          optional({
            role: textOf(role),
            fullName: textOf(full_name),
            email: textOf(email),
            phoneNumber,
          }),
        ],
      ];
    },
  );
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

/**
 * What a journal commits to of an envelope once nothing of it changes any more: at its sending, or, of what its owner alone signs, when it is made.
 * Null or undefined: it does not say, as those of before the sending committed to it. `parties`: the ids of all, those in copy too; `signers`: of those who must sign;
 * `deadline`: null where there was none; `uploaded` and `originals`: SHA-256 (hex) by document; `deposited`: those of every file that ever came, whose document is not told;
 * `acceptsCopy`: a corrected copy was accepted; `removed`: what it commits to and was taken out of it, in French.
 */
export type SendingInJournal = {
  readonly parties: ReadonlySet<string> | null;
  readonly signers: ReadonlySet<string> | null;
  readonly senderEmail: string | null;
  readonly deadline: Date | null | undefined;
  readonly uploaded: ReadonlyMap<string, string> | null;
  readonly originals: ReadonlyMap<string, string> | null;
  readonly deposited: ReadonlySet<string>;
  readonly acceptsCopy: boolean;
  readonly removed: readonly string[];
};

/** What is erased only with the whole envelope, which then gives no file any more. */
const KEPT: Readonly<Record<string, string>> = {
  title: "le titre",
  sender_email: "l’adresse de l’expéditeur",
  document_names: "les noms des documents",
  signer_names: "les noms des signataires",
  recipients: "les parties",
};

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((text): text is string => typeof text === "string") : [];

/** Gives what a journal that is whole says of the sending: its first event of it alone. */
export function sendingInJournal(events: readonly PeopleEvent[]): SendingInJournal {
  const sending = events.find(
    ({ action, detail }) =>
      action === "envelope_sent" || (action === "envelope_created" && "signers" in detail),
  );
  const { detail, personal }: Pick<PeopleEvent, "detail" | "personal"> = sending ?? {
    detail: {},
    personal: {},
  };
  const before = events.slice(
    0,
    sending === undefined ? events.length : events.indexOf(sending) + 1,
  );
  const email = personal["sender_email"]?.value;
  const recipients = personal["recipients"]?.value;
  const commitments = Object.keys(Object(detail["commitments"]));
  return {
    parties: Array.isArray(recipients)
      ? new Set(textsOf(recipients).map((text) => String(JSON.parse(text).id)))
      : null,
    signers: Array.isArray(detail["signers"]) ? new Set(textsOf(detail["signers"])) : null,
    senderEmail: typeof email === "string" ? email : null,
    deadline: momentIn(detail["deadline_at"]),
    uploaded: hashesIn(detail["uploaded"]),
    originals: hashesIn(detail["originals"]),
    deposited: new Set(before.flatMap(depositsIn)),
    acceptsCopy:
      before.some(({ detail: said }) => textsOf(said["changed"]).includes("accept_normalised")) ||
      events.some(
        ({ action, detail: said }) => action === "consent_given" && "copy_accepted_at" in said,
      ),
    removed: commitments.flatMap((name) =>
      name in KEPT && personal[name] === undefined ? [KEPT[name] as string] : [],
    ),
  };
}

function momentIn(value: unknown): Date | null | undefined {
  return typeof value === "string" ? new Date(value) : value === null ? null : undefined;
}

/** The files that came, by their hashes; the sending names those that were prepared instead. */
function depositsIn({ action, detail }: PeopleEvent): readonly string[] {
  return action === "envelope_created" || action === "envelope_updated"
    ? textsOf(detail["documents"])
    : [];
}

/** Texts `{document}:{SHA-256}`. */
function hashesIn(value: unknown): ReadonlyMap<string, string> | null {
  return Array.isArray(value)
    ? new Map(textsOf(value).map((text) => text.split(":") as [string, string]))
    : null;
}
