import type { EnvelopeState, FactEvent, JournalFacts, JournalSignature } from "./journal-facts.ts";
import { namedFilesIn, pairsIn, readReaches, recordIn, textIn, textsIn } from "./read-reaches.ts";

type Draft = { -readonly [Name in keyof JournalFacts]: JournalFacts[Name] } & {
  before: EnvelopeState;
  readonly consents: Map<string, string>;
  readonly made: Omit<JournalSignature, "reach">[];
  readonly kept: Map<string, string[]>;
  readonly wrong: string[];
  readonly unopened: Set<string>;
};

const OPEN: ReadonlySet<EnvelopeState> = new Set(["draft", "sent", "pending"]);

/** Gives what a journal says of its envelope: a pure reading of its events, in their order. What it leaves out is null, and what it cannot say is a fault. */
export function readJournalFacts(events: readonly FactEvent[]): JournalFacts {
  const facts = emptyFacts();
  for (const event of events)
    if (Object.hasOwn(READINGS, event.action)) READINGS[event.action]?.(facts, event);
  const { reaches, faults } = readReaches(events);
  const signatures = facts.made.map((made) => ({
    ...made,
    reach: reaches.get(made.recipient) ?? null,
  }));
  return {
    ...facts,
    signatures,
    files: facts.kept,
    closed: [...facts.unopened],
    faults: [...facts.wrong, ...faults],
  };
}

function emptyFacts(): Draft {
  return {
    state: "draft",
    before: "draft",
    completedAt: null,
    completedSequence: null,
    purgedAt: null,
    signers: null,
    total: null,
    signatures: [],
    documents: null,
    files: new Map(),
    prepared: new Set(),
    title: null,
    documentNames: new Map(),
    names: new Map(),
    closed: [],
    isTitled: false,
    proofOnly: null,
    prints: new Map(),
    faults: [],
    consents: new Map(),
    made: [],
    kept: new Map(),
    wrong: [],
    unopened: new Set(),
  };
}

/** Events that change what an envelope is; of all others nothing is read. */
const READINGS: Readonly<Record<string, (facts: Draft, event: FactEvent) => void>> = {
  envelope_created: readCreation,
  envelope_sent: readSending,
  recipient_invited: readInvitation,
  consent_given: readConsent,
  recipient_signed: readSignature,
  envelope_completed: readCompletion,
  archive_renewed: readRenewal,
  envelope_declined: (facts, event) => close(facts, { event, state: "declined" }),
  envelope_expired: (facts, event) => close(facts, { event, state: "expired" }),
  deadline_extended: readExtension,
  envelope_cancelled: readCancellation,
  envelope_restored: readRestoration,
  print_generated: readPrint,
  public_page_changed: (facts, { detail }) => {
    facts.proofOnly = detail["proof_only"] === true;
  },
  envelope_purged: (facts, { at }) => {
    facts.purgedAt = at;
  },
};

const wrongAt = (facts: Draft, { sequence }: FactEvent, what: string): void => {
  facts.wrong.push(`L’événement n°\u00a0${sequence} de l’historique ${what}.`);
};

function readCreation(facts: Draft, event: FactEvent): void {
  if (event.sequence !== 1) return wrongAt(facts, event, "crée une seconde fois l’enveloppe");
  // Of a document that its owner alone signs: it is never sent.
  if (event.detail["signers"] !== undefined) readParts(facts, event);
  facts.prepared = new Set(textsIn(event.detail["documents"]));
}

function readSending(facts: Draft, event: FactEvent): void {
  if (facts.state !== "draft" || facts.made.length > 0)
    return wrongAt(facts, event, "envoie une enveloppe qui l’était déjà");
  facts.state = "sent";
  facts.prepared = new Set(textsIn(event.detail["documents"]));
  readParts(facts, event);
}

/** What an event commits to and does not show here, of what is told of people and files. */
function noteUnopened(facts: Draft, { detail, personal }: FactEvent): void {
  for (const [name, what] of Object.entries(TOLD))
    if (name in (recordIn(detail["commitments"]) ?? {}) && personal[name] === undefined)
      facts.unopened.add(what);
}

const TOLD = {
  title: "le titre",
  document_names: "les noms des documents",
  signer_names: "les noms des signataires",
  actor_name: "le nom d’un signataire",
} as const;

/** Who must sign what, and under which names: from then on it does not change. */
function readParts(facts: Draft, event: FactEvent): void {
  const { detail, personal } = event;
  // Who sent is no business of everybody's.
  noteUnopened(facts, { ...event, personal: { actor_name: {}, ...personal } });
  facts.isTitled = "title" in (recordIn(detail["commitments"]) ?? {});
  if (Array.isArray(detail["signers"])) facts.signers = textsIn(detail["signers"]);
  if (Array.isArray(detail["document_ids"])) facts.documents = textsIn(detail["document_ids"]);
  facts.title = textIn(personal["title"]?.value);
  facts.documentNames = pairsIn(personal["document_names"]?.value);
  facts.names = new Map([...facts.names, ...pairsIn(personal["signer_names"]?.value)]);
}

function readInvitation(facts: Draft, { detail, personal }: FactEvent): void {
  const [recipient, name] = [textIn(detail["recipient"]), textIn(personal["full_name"]?.value)];
  if (recipient !== null && name !== null && !facts.names.has(recipient))
    facts.names = new Map([...facts.names, [recipient, name]]);
}

/** A member of whom a journal of before does not say whose consent it is. */
const MEMBER = "";

function readConsent(facts: Draft, { actor, at, detail }: FactEvent): void {
  const stated = textIn(detail["consented_at"]);
  const person = actor.startsWith("recipient:")
    ? actor.slice("recipient:".length)
    : (textIn(detail["recipient"]) ?? MEMBER);
  // Of members who sign as such the journal does not tell here who is whom: nobody agreed before the first of them.
  if (person === MEMBER && facts.consents.has(MEMBER)) return;
  facts.consents.set(person, stated !== null && stated < at ? stated : at);
}

function readSignature(facts: Draft, event: FactEvent): void {
  const { actor, at, detail, personal } = event;
  const recipient = textIn(detail["recipient"]) ?? actor.replace(/^recipient:/, "");
  if (!OPEN.has(facts.state))
    wrongAt(facts, event, "ajoute une signature à une enveloppe qui n’en attendait plus");
  if (actor !== `recipient:${recipient}`)
    wrongAt(facts, event, "attribue une signature à quelqu’un d’autre que son auteur");
  if (facts.made.some((made) => made.recipient === recipient))
    wrongAt(facts, event, "fait signer deux fois la même personne");
  if (facts.signers !== null && !facts.signers.includes(recipient))
    wrongAt(facts, event, "fait signer quelqu’un à qui ce n’était pas demandé");
  noteUnopened(facts, event);
  const named = namedFilesIn(detail["documents"]);
  const name = textIn(personal["actor_name"]?.value);
  const serial = textIn(detail["certificate_serial"]);
  const since = facts.consents.get(recipient) ?? facts.consents.get(MEMBER) ?? at;
  facts.made.push({
    recipient,
    serial,
    name,
    since,
    at,
    documents: named.map(([document]) => document),
  });
  if (name !== null && !facts.names.has(recipient))
    facts.names = new Map([...facts.names, [recipient, name]]);
  readTotal(facts, event);
  facts.documents ??= named.map(([document]) => document);
  if (facts.documents.some((document) => !named.some(([own]) => own === document)))
    wrongAt(facts, event, "laisse un document de l’enveloppe sans signature");
  readFiles(facts, event, named);
  facts.state = "pending";
}

function readTotal(facts: Draft, event: FactEvent): void {
  const { total, signed } = event.detail;
  if (typeof total !== "number") return;
  const expected = facts.signers?.length ?? facts.total ?? total;
  if (total !== expected || signed !== facts.made.length)
    wrongAt(facts, event, "ne compte pas les signatures comme les autres événements");
  facts.total = expected;
}

function readCompletion(facts: Draft, event: FactEvent): void {
  const { at, sequence, detail } = event;
  const signed = new Set(facts.made.map(({ recipient }) => recipient));
  const isWhole =
    facts.signers === null
      ? signed.size >= (facts.total ?? 1)
      : facts.signers.every((signer) => signed.has(signer));
  if (facts.state !== "pending" || !isWhole)
    wrongAt(facts, event, "termine une enveloppe que tous n’avaient pas signée");
  readFiles(facts, event, namedFilesIn(detail["documents"]));
  facts.state = "completed";
  facts.completedAt = at;
  facts.completedSequence = sequence;
}

function readRenewal(facts: Draft, event: FactEvent): void {
  if (facts.completedAt === null)
    wrongAt(facts, event, "prolonge l’archivage d’une enveloppe qui n’est pas terminée");
  readFiles(facts, event, namedFilesIn(event.detail["document"]));
}

function readPrint(facts: Draft, event: FactEvent): void {
  const id = textIn(event.detail["print"]);
  if (id === null) return;
  if (facts.prints.has(id))
    return wrongAt(facts, event, "crée une seconde fois la même impression");
  facts.prints = new Map([
    ...facts.prints,
    [id, { qrType: textIn(event.detail["qr_type"]), at: event.at }],
  ]);
}

function readFiles(
  facts: Draft,
  event: FactEvent,
  named: readonly (readonly [string, string])[],
): void {
  for (const [document, sha256] of named) {
    if (facts.documents !== null && !facts.documents.includes(document))
      wrongAt(facts, event, "nomme un document qui n’est pas de l’enveloppe");
    facts.kept.set(document, [...(facts.kept.get(document) ?? []), sha256]);
  }
}

function close(
  facts: Draft,
  { event, state }: { readonly event: FactEvent; readonly state: EnvelopeState },
): void {
  if (!OPEN.has(facts.state)) wrongAt(facts, event, "clôt une enveloppe qui l’était déjà");
  facts.state = state;
}

function readExtension(facts: Draft): void {
  if (facts.state === "expired") facts.state = facts.made.length > 0 ? "pending" : "sent";
}

function readCancellation(facts: Draft, event: FactEvent): void {
  if (facts.state === "cancelled")
    return wrongAt(facts, event, "annule une enveloppe qui l’était déjà");
  facts.before = facts.state;
  facts.state = "cancelled";
}

function readRestoration(facts: Draft, event: FactEvent): void {
  if (facts.state !== "cancelled")
    return wrongAt(facts, event, "rétablit une enveloppe qui n’était pas annulée");
  // One whose deadline passed meanwhile comes back expired.
  facts.state =
    OPEN.has(facts.before) && event.detail["to"] === "expired" ? "expired" : facts.before;
}
