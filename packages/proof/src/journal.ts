import { onBehalf } from "@paraphe/kernel/french-words";
import { isCalendarDay } from "@paraphe/kernel/paris-days";
import {
  type FactEvent,
  namedFilesIn,
  pairsIn,
  type Reach,
  readReaches,
  recordIn,
  recipientActing,
  textIn,
  textsIn,
} from "./reaches.ts";

/** `pending`: somebody has signed; `draft`: also a self-signed document before its signature. */
export type EnvelopeState =
  | "draft"
  | "sent"
  | "pending"
  | "completed"
  | "declined"
  | "expired"
  | "cancelled";

/**
 * A signature in every document named. `name`: null where erased or not shown; `since`: the
 * consent, the signature's earliest time.
 */
export type JournalSignature = {
  readonly recipient: string;
  readonly serial: string;
  readonly name: string | null;
  /** Whom the named person signed for, by delegation. */
  readonly delegator: string | null;
  readonly since: string;
  readonly at: string;
  readonly documents: readonly string[];
  readonly reach: Reach | null;
};

/** `ip`, `userAgent`: null where not recorded, undefined where erased or not shown. */
export type JournalConsent = {
  readonly since: string;
  /** When the owner of a batch accepted the corrected copy that is signed, after agreeing. */
  readonly copyAcceptedAt: string | null;
  readonly method: string | null;
  readonly version: string | null;
  readonly documentsSha256: string | null;
  readonly ip: string | null | undefined;
  readonly userAgent: string | null | undefined;
  readonly delegate?: JournalDelegate;
};

/** Who acted for a recipient, and what they could do between which days. */
export type JournalDelegate = {
  readonly name: string | null;
  /** Null where not confirmed, undefined where erased or not shown. */
  readonly email: string | null | undefined;
  readonly from: string;
  readonly to: string;
  readonly scope: string | null;
  readonly circuit: string | null;
};

export type JournalVisa = Pick<
  JournalConsent,
  "documentsSha256" | "ip" | "userAgent" | "delegate"
> & {
  readonly at: string;
  readonly code: string | null;
};

/** A recipient at sending, with their acts. Texts are null where absent, erased or not shown. */
export type JournalParty = {
  readonly role: "signer" | "approver" | "visa" | "viewer";
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly isInvited: boolean;
  /** The last time: reset when an envelope reopens. */
  readonly viewedAt: string | null;
  readonly visa: JournalVisa | null;
  readonly declinedAt: string | null;
  readonly declineReason: string | null;
  readonly consent?: JournalConsent | undefined;
};

/** `isVoid`: made before the document was returned to its sender. */
type JournalPrint = { readonly qrType: string; readonly at: string; readonly isVoid?: true };

/**
 * What a journal says, the one projection of it. Hashes are hexadecimal; texts null where erased or
 * not shown.
 */
export type JournalFacts = {
  readonly state: EnvelopeState;
  readonly createdAt: string | null;
  readonly sentAt: string | null;
  readonly deadlineAt: string | null;
  readonly cancelledAt: string | null;
  readonly completedAt: string | null;
  readonly completedSequence: number | null;
  readonly purgedAt: string | null;
  readonly sender: { readonly name: string | null; readonly email: string | null };
  readonly title: string | null;
  readonly signers: readonly string[];
  readonly parties: ReadonlyMap<string, JournalParty>;
  readonly names: ReadonlyMap<string, string>;
  readonly signatures: readonly JournalSignature[];
  readonly documents: readonly string[];
  readonly documentNames: ReadonlyMap<string, string>;
  /** By document: the uploaded file, its accepted copy, the file sent for signature. */
  readonly uploaded: ReadonlyMap<string, string>;
  readonly originals: ReadonlyMap<string, string>;
  readonly prepared: ReadonlyMap<string, string>;
  /** By document: every file since its first signature, in order. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** Signed files whose signatures were annulled, with the time. */
  readonly annulled: ReadonlyMap<string, string>;
  readonly proofOnly: boolean;
  readonly prints: ReadonlyMap<string, JournalPrint>;
  /**
   * What the chain commits to but this copy does not show, in French: about signatures and signers.
   */
  readonly closed: readonly string[];
  /** The same, for what only the owner sees. */
  readonly closedToOwner: readonly string[];
  readonly faults: readonly string[];
};

type Mutable<T> = {
  -readonly [Name in keyof T]: T[Name] extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : T[Name] extends readonly (infer Item)[]
      ? Item[]
      : T[Name];
};
type Draft = Mutable<Omit<JournalFacts, "closed" | "closedToOwner" | "signatures">> & {
  before: EnvelopeState;
  readonly made: Omit<JournalSignature, "reach">[];
  readonly closed: Set<string>;
  readonly closedToOwner: Set<string>;
};

const OPEN: ReadonlySet<EnvelopeState> = new Set(["draft", "sent", "pending"]);

/** Projects a journal from its events, in order, without side effects. */
export function readJournal(events: readonly FactEvent[]): JournalFacts {
  const { before: _before, made, closed, closedToOwner, ...facts } = readEvents(events);
  const { reaches, faults } = readReaches(events);
  const reached = (recipient: string) => reaches.get(recipient) ?? null;
  return {
    ...facts,
    signatures: made.map((one) => ({ ...one, reach: reached(one.recipient) })),
    closed: [...closed],
    closedToOwner: [...closedToOwner],
    faults: [...facts.faults, ...faults],
  };
}

function readEvents(events: readonly FactEvent[]): Draft {
  const draft: Draft = {
    state: "draft",
    before: "draft",
    createdAt: null,
    sentAt: null,
    deadlineAt: null,
    cancelledAt: null,
    completedAt: null,
    completedSequence: null,
    purgedAt: null,
    sender: { name: null, email: null },
    title: null,
    signers: [],
    parties: new Map(),
    names: new Map(),
    made: [],
    documents: [],
    documentNames: new Map(),
    uploaded: new Map(),
    originals: new Map(),
    prepared: new Map(),
    files: new Map(),
    annulled: new Map(),
    proofOnly: false,
    prints: new Map(),
    closed: new Set(),
    closedToOwner: new Set(),
    faults: [],
  };
  for (const event of events)
    if (Object.hasOwn(READINGS, event.action)) READINGS[event.action]?.(draft, event);
  checkEnd(draft, events);
  return draft;
}

/** One transaction writes the last signature and the completion. */
function checkEnd(facts: Draft, events: readonly FactEvent[]): void {
  const [last, signed] = [events.at(-1), new Set(facts.made.map(({ recipient }) => recipient))];
  if (facts.state !== "pending" || last === undefined) return;
  if (facts.signers.every((signer) => signed.has(signer)))
    wrongAt(facts, last, "est le dernier, et ne termine pas l’enveloppe que tous ont signée");
}

const READINGS: Readonly<Record<string, (facts: Draft, event: FactEvent) => void>> = {
  envelope_created: readCreation,
  envelope_sent: readSending,
  recipient_invited: readInvitation,
  recipient_address_corrected: readCorrection,
  recipient_viewed: (facts, event) => changeParty(facts, event, { viewedAt: event.at }),
  visa_given: readVisa,
  step_sent_back: readSendBack,
  step_reassigned: readCorrection,
  consent_given: readConsent,
  consent_void: (facts, event) => changeParty(facts, event, { consent: undefined }),
  recipient_signed: readSignature,
  envelope_completed: readCompletion,
  archive_renewed: readRenewal,
  envelope_declined: readRefusal,
  envelope_expired: (facts, event) => close(facts, { event, state: "expired" }),
  deadline_changed: readDeadline,
  deadline_extended: readDeadline,
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
  facts.faults.push(`L’événement n°\u00a0${sequence} de l’historique ${what}.`);
};
const valueIn = ({ personal }: FactEvent, name: string): string | null =>
  textIn(personal[name]?.value);
const isCommitted = ({ detail }: FactEvent, name: string): boolean =>
  Object.hasOwn(recordIn(detail["commitments"]) ?? {}, name);

function readCreation(facts: Draft, event: FactEvent): void {
  if (event.sequence !== 1) return wrongAt(facts, event, "crée une seconde fois l’enveloppe");
  facts.createdAt = event.at;
  facts.sender = { ...facts.sender, name: valueIn(event, "actor_name") };
  // A self-signed document is never sent: its last file is to be signed.
  if (event.detail["signers"] !== undefined)
    readParts(facts, event, textsIn(event.detail["documents"]).slice(-1));
}

function readSending(facts: Draft, event: FactEvent): void {
  if (facts.state !== "draft" || facts.made.length > 0)
    return wrongAt(facts, event, "envoie une enveloppe qui l’était déjà");
  facts.state = "sent";
  facts.sentAt = event.at;
  readParts(facts, event, textsIn(event.detail["documents"]));
}

/** Signers, documents and names; fixed from then on. */
function readParts(facts: Draft, event: FactEvent, prepared: readonly string[]): void {
  const { detail, personal } = event;
  noteClosed(facts, event, PARTS);
  facts.signers = [...textsIn(detail["signers"])];
  facts.documents = [...textsIn(detail["document_ids"])];
  facts.deadlineAt = textIn(detail["deadline_at"]);
  facts.uploaded = new Map(pairsIn(detail["uploaded"]));
  facts.originals = new Map(pairsIn(detail["originals"]));
  for (const [index, sha256] of prepared.entries()) {
    const document = facts.documents[index];
    if (document !== undefined) facts.prepared.set(document, sha256);
  }
  facts.title = valueIn(event, "title");
  facts.sender = { ...facts.sender, email: valueIn(event, "sender_email") };
  facts.documentNames = new Map(pairsIn(personal["document_names"]?.value));
  for (const [id, name] of pairsIn(personal["signer_names"]?.value)) facts.names.set(id, name);
  for (const id of facts.signers) facts.parties.set(id, { ...NOBODY, name: nameOf(facts, id) });
  const texts = textsIn(personal["recipients"]?.value);
  // The sending's order stays, viewers included.
  if (texts.length > 0) facts.parties = new Map(texts.map(readParty));
}

const nameOf = ({ names }: Draft, id: string): string | null => names.get(id) ?? null;

const NOBODY: JournalParty = {
  role: "signer",
  name: null,
  email: null,
  phone: null,
  isInvited: false,
  viewedAt: null,
  visa: null,
  declinedAt: null,
  declineReason: null,
};

function readParty(text: string): [string, JournalParty] {
  const { id, role, full_name, email, phone_number } = recordIn(JSON.parse(text)) ?? {};
  const party: JournalParty = {
    ...NOBODY,
    role: role === "viewer" || role === "approver" || role === "visa" ? role : "signer",
    name: textIn(full_name),
    email: textIn(email),
    phone: textIn(phone_number),
  };
  return [String(id), party];
}

const PARTS = {
  title: "le titre",
  document_names: "les noms des documents",
  signer_names: "les noms des signataires",
} as const;

const SIGNER_NAME = "le nom d’un signataire";
const OWNER_PARTS: Readonly<Record<string, string>> = {
  sender_email: "l’adresse de l’expéditeur",
  recipients: "les parties",
};

function noteClosed(facts: Draft, event: FactEvent, names: Readonly<Record<string, string>>): void {
  const isClosed = (name: string) => isCommitted(event, name) && event.personal[name] === undefined;
  for (const [name, what] of Object.entries(names)) if (isClosed(name)) facts.closed.add(what);
  for (const [name, what] of Object.entries(OWNER_PARTS))
    if (isClosed(name)) facts.closedToOwner.add(what);
}

function changeParty(facts: Draft, event: FactEvent, change: Partial<JournalParty>): void {
  const id = textIn(event.detail["recipient"]) ?? recipientActing(event);
  const party = id === null ? undefined : facts.parties.get(id);
  if (id !== null && party !== undefined) facts.parties.set(id, { ...party, ...change });
}

function readInvitation(facts: Draft, event: FactEvent): void {
  const [recipient, name] = [textIn(event.detail["recipient"]), valueIn(event, "full_name")];
  if (recipient !== null && name !== null && !facts.names.has(recipient))
    facts.names.set(recipient, name);
  changeParty(facts, event, { isInvited: true });
}

function readCorrection(facts: Draft, event: FactEvent): void {
  const [id, name] = [textIn(event.detail["recipient"]), valueIn(event, "full_name")];
  if (id !== null && name !== null) facts.names.set(id, name);
  changeParty(facts, event, {
    ...(isCommitted(event, "full_name") ? { name } : {}),
    email: valueIn(event, "email"),
    phone: valueIn(event, "phone_number"),
    ...(event.detail["email"] === true ? { viewedAt: null } : {}),
  });
}

/** Signatures and visas from the step on are annulled; the files are again as they were sent. */
function readSendBack(facts: Draft, event: FactEvent): void {
  const reset = textsIn(event.detail["reset"]);
  if (!OPEN.has(facts.state)) wrongAt(facts, event, "renvoie une enveloppe close");
  if (facts.made.some(({ recipient }) => !reset.includes(recipient)))
    wrongAt(facts, event, "garde une signature d’une version renvoyée");
  facts.made.length = 0;
  for (const sha256 of [...facts.files.values()].flat()) facts.annulled.set(sha256, event.at);
  facts.files.clear();
  facts.closed.delete(SIGNER_NAME);
  if (event.detail["order"] === 0) return returnToDraft(facts);
  facts.state = "sent";
  for (const id of reset) {
    const party = facts.parties.get(id);
    if (party !== undefined)
      facts.parties.set(id, { ...party, viewedAt: null, visa: null, consent: undefined });
  }
}

/** Clears what the next `envelope_sent` sets. */
function returnToDraft(facts: Draft): void {
  Object.assign(facts, { state: "draft", sentAt: null, signers: [], documents: [] });
  for (const part of [facts.parties, facts.prepared, facts.closed, facts.closedToOwner])
    part.clear();
  for (const [id, print] of facts.prints) facts.prints.set(id, { ...print, isVoid: true });
}

function readConsent(facts: Draft, event: FactEvent): void {
  const { at, detail } = event;
  const stated = textIn(detail["consented_at"]);
  changeParty(facts, event, {
    consent: {
      since: stated !== null && stated < at ? stated : at,
      copyAcceptedAt: textIn(detail["copy_accepted_at"]),
      method: textIn(detail["method"]),
      version: textIn(detail["consent_version"]),
      ...actIn(event),
    },
  });
}

function readVisa(facts: Draft, event: FactEvent): void {
  const { at, detail } = event;
  changeParty(facts, event, { visa: { at, code: textIn(detail["code"]), ...actIn(event) } });
}

function notedIn(event: FactEvent, name: string): string | null | undefined {
  return isCommitted(event, name) ? (valueIn(event, name) ?? undefined) : null;
}

function actIn(event: FactEvent) {
  return {
    documentsSha256: textIn(event.detail["documents_sha256"]),
    ip: notedIn(event, "ip"),
    userAgent: notedIn(event, "user_agent"),
    ...delegateIn(event),
  };
}

function delegateIn(event: FactEvent): Pick<JournalConsent, "delegate"> {
  const { delegation, delegation_from, delegation_to, delegation_scope, delegation_circuit } =
    event.detail;
  const [from, to] = [textIn(delegation_from) ?? "", textIn(delegation_to) ?? ""];
  if (textIn(delegation) === null || !isCalendarDay(from) || !isCalendarDay(to)) return {};
  const [name, email] = [valueIn(event, "delegate_name"), notedIn(event, "delegate_email")];
  const [scope, circuit] = [textIn(delegation_scope), textIn(delegation_circuit)];
  return { delegate: { name, email, from, to, scope, circuit } };
}

function readSignature(facts: Draft, event: FactEvent): void {
  const { actor, at, detail } = event;
  const recipient = textIn(detail["recipient"]) ?? actor.replace(/^recipient:/, "");
  checkSignature(facts, event, recipient);
  noteClosed(facts, event, { actor_name: SIGNER_NAME });
  const named = namedFilesIn(detail["documents"]);
  const name = valueIn(event, "actor_name");
  const documents = named.map(([document]) => document);
  const consent = facts.parties.get(recipient)?.consent;
  // Nothing is signed before its owner accepts the corrected copy.
  const since = consent?.copyAcceptedAt ?? consent?.since ?? at;
  const serial = textIn(detail["certificate_serial"]) ?? "";
  const isDelegated = textIn(detail["delegation"]) !== null;
  if (isDelegated !== (consent?.delegate !== undefined))
    wrongAt(facts, event, "dit autrement que le consentement si la signature est déléguée");
  const delegator = isDelegated ? nameOf(facts, recipient) : null;
  facts.made.push({ recipient, serial, name, delegator, since, at, documents });
  if (name !== null && !isDelegated && !facts.names.has(recipient))
    facts.names.set(recipient, name);
  const { total, signed } = detail;
  if (total !== facts.signers.length || signed !== facts.made.length)
    wrongAt(facts, event, "ne compte pas les signatures comme les autres événements");
  if (facts.documents.some((document) => !documents.includes(document)))
    wrongAt(facts, event, "laisse un document de l’enveloppe sans signature");
  readFiles(facts, event, named);
  facts.state = "pending";
}

function checkSignature(facts: Draft, event: FactEvent, recipient: string): void {
  if (!OPEN.has(facts.state))
    wrongAt(facts, event, "ajoute une signature à une enveloppe qui n’en attendait plus");
  if (event.actor !== `recipient:${recipient}`)
    wrongAt(facts, event, "attribue une signature à quelqu’un d’autre que son auteur");
  if (facts.made.some((made) => made.recipient === recipient))
    wrongAt(facts, event, "fait signer deux fois la même personne");
  if (!facts.signers.includes(recipient))
    wrongAt(facts, event, "fait signer quelqu’un à qui ce n’était pas demandé");
}

function readCompletion(facts: Draft, event: FactEvent): void {
  const { at, sequence, detail } = event;
  const signed = new Set(facts.made.map(({ recipient }) => recipient));
  const isWhole = facts.signers.every((signer) => signed.has(signer));
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
  facts.prints.set(id, { qrType: textIn(event.detail["qr_type"]) ?? "", at: event.at });
}

function readFiles(
  facts: Draft,
  event: FactEvent,
  named: readonly (readonly [string, string])[],
): void {
  for (const [document, sha256] of named) {
    if (!facts.documents.includes(document))
      wrongAt(facts, event, "nomme un document qui n’est pas de l’enveloppe");
    facts.files.set(document, [...(facts.files.get(document) ?? []), sha256]);
  }
}

function readRefusal(facts: Draft, event: FactEvent): void {
  close(facts, { event, state: "declined" });
  changeParty(facts, event, { declinedAt: event.at, declineReason: valueIn(event, "reason") });
}

function close(
  facts: Draft,
  { event, state }: { readonly event: FactEvent; readonly state: EnvelopeState },
): void {
  if (!OPEN.has(facts.state)) wrongAt(facts, event, "clôt une enveloppe qui l’était déjà");
  facts.state = state;
}

/** A later deadline reopens an expired envelope. */
function readDeadline(facts: Draft, { detail, action }: FactEvent): void {
  facts.deadlineAt = textIn(detail["to"]);
  if (action === "deadline_extended" && facts.state === "expired")
    facts.state = facts.made.length > 0 ? "pending" : "sent";
}

function readCancellation(facts: Draft, event: FactEvent): void {
  if (facts.state === "cancelled")
    return wrongAt(facts, event, "annule une enveloppe qui l’était déjà");
  facts.before = facts.state;
  facts.state = "cancelled";
  facts.cancelledAt = event.at;
}

function readRestoration(facts: Draft, event: FactEvent): void {
  if (facts.state !== "cancelled")
    return wrongAt(facts, event, "rétablit une enveloppe qui n’était pas annulée");
  // A deadline that has passed meanwhile expires it.
  facts.state =
    OPEN.has(facts.before) && event.detail["to"] === "expired" ? "expired" : facts.before;
  facts.cancelledAt = null;
}

/** As shown: « Paul Martin, pour Anne Roux, par délégation »; null once erased. */
export function signerInWords({
  name,
  delegator,
}: Pick<JournalSignature, "name" | "delegator">): string | null {
  return name === null || delegator === null ? name : onBehalf(name, delegator);
}

/** Visas given, in the order of the parties; a name is null once erased. */
export function visasOf({ parties }: Pick<JournalFacts, "parties">) {
  return [...parties.values()].flatMap(({ name, visa }) =>
    visa === null
      ? []
      : [{ at: visa.at, name: visa.delegate ? onBehalfOf(visa.delegate, name) : name }],
  );
}

const onBehalfOf = ({ name }: JournalDelegate, delegator: string | null) =>
  name === null || delegator === null ? null : onBehalf(name, delegator);

/** All signatures of the service that a document's file must contain. */
export function signaturesOf(
  { signatures }: Pick<JournalFacts, "signatures">,
  documentId: string,
): readonly JournalSignature[] {
  return signatures.filter(({ documents }) => documents.includes(documentId));
}

/** SHA-256 (hex) of the last signed file; null before the first signature. */
export function lastFileOf(
  { files }: Pick<JournalFacts, "files">,
  documentId: string,
): string | null {
  return files.get(documentId)?.at(-1) ?? null;
}

/** SHA-256 (hex), signed or as sent. */
export function fileOf(facts: Pick<JournalFacts, "files" | "prepared">, documentId: string) {
  return lastFileOf(facts, documentId) ?? facts.prepared.get(documentId) ?? null;
}

const CLOCK_MARGIN_MS = 10 * 60_000;

export function isNear(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(Date.parse(one) - Date.parse(other)) <= CLOCK_MARGIN_MS;
}

export function isBetween(moment: string, since: string, until: string): boolean {
  const at = Date.parse(moment);
  return at >= Date.parse(since) - CLOCK_MARGIN_MS && at <= Date.parse(until) + CLOCK_MARGIN_MS;
}

export const STATE_NAMES: Readonly<Record<EnvelopeState, string>> = {
  draft: "en préparation",
  sent: "envoyée",
  pending: "en cours de signature",
  completed: "terminée",
  declined: "refusée",
  expired: "expirée",
  cancelled: "annulée",
};
