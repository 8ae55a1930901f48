import type { SignatureReport } from "@paraphe/pades";

/** An event as it is read here: its chain and the commitments of its personal values are checked by whoever gives it. */
export type FactEvent = {
  readonly sequence: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** What has been opened of the personal values: neither what was erased nor what is not shown. */
  readonly personal: Readonly<Record<string, { readonly value?: unknown }>>;
};

/** How something went to a person. `either`: by a text that may have left, and by mail because its gateway did not answer. */
export type Channel = "email" | "sms" | "either";
/** `destination`: masked; null where it was erased, is not shown, or was never told. */
export type Sent = { readonly channel: Channel; readonly destination: string | null };
/** What is known to be a person's, because something sent there came back. */
export type Contact = "email" | "phone";

/**
 * How a person was reached when they agreed. `link`: a guest's, by the link that the code was entered behind, and that code; `account`: by the session of an
 * account. `confirmed`: what answered; nothing else may be certified.
 */
export type Reach = {
  readonly by: "link" | "account";
  readonly link: Sent | null;
  readonly code: Sent | null;
  readonly confirmed: readonly Contact[];
};

/** Where an envelope stands. `pending`: somebody has signed; `draft` is also one that its owner alone signs, who has not. */
export type EnvelopeState =
  | "draft"
  | "sent"
  | "pending"
  | "completed"
  | "declined"
  | "expired"
  | "cancelled";

/**
 * One person's signature, in every document that `documents` names. `serial` is null where a journal of before does not say it; `name` where it was erased or is
 * not shown; `since`: when that person agreed, the signature's own earliest moment; `reach`: how they were reached then, null where the journal does not tell.
 */
export type JournalSignature = {
  readonly recipient: string;
  readonly serial: string | null;
  readonly name: string | null;
  readonly since: string;
  readonly at: string;
  readonly documents: readonly string[];
  readonly reach: Reach | null;
};

/** A QR code as the journal has it: of which kind, and when it was made. */
type JournalPrint = { readonly qrType: string | null; readonly at: string };

/**
 * What an envelope's journal says of it. `signers`: who had to sign, null in journals of before; `total`: how many; `documents`: null while no event names
 * them; `files`: SHA-256 (hex) that each document has had, the last one its own; `prepared`: those of the files as they were sent; texts are null where they
 * were never committed to, were erased or are not shown; `closed`: what it commits to without being opened, in French; `isTitled`: whether it commits to the title
 * and the names of the documents at all, which journals of before do not; `proofOnly`: whether its public page withholds the document, null where it was never said; `prints`: the QR codes that were made of it, by their ids; `faults`: what no journal of an honest service says, in French.
 */
export type JournalFacts = {
  readonly state: EnvelopeState;
  readonly completedAt: string | null;
  readonly completedSequence: number | null;
  readonly purgedAt: string | null;
  readonly signers: readonly string[] | null;
  readonly total: number | null;
  readonly signatures: readonly JournalSignature[];
  readonly documents: readonly string[] | null;
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly prepared: ReadonlySet<string>;
  readonly title: string | null;
  readonly documentNames: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, string>;
  readonly closed: readonly string[];
  readonly isTitled: boolean;
  readonly proofOnly: boolean | null;
  readonly prints: ReadonlyMap<string, JournalPrint>;
  readonly faults: readonly string[];
};

/** Gives the signatures that a document's file must bear, and no other of the service's. */
export function signaturesOf(
  { signatures }: Pick<JournalFacts, "signatures">,
  documentId: string,
): readonly JournalSignature[] {
  return signatures.filter(({ documents }) => documents.includes(documentId));
}

/** Gives the SHA-256 (hex) of a document's file as the journal last names it; null when it names none. */
export function lastFileOf(
  { files }: Pick<JournalFacts, "files">,
  documentId: string,
): string | null {
  return files.get(documentId)?.at(-1) ?? null;
}

/** Two writings of one moment are made in one transaction: further apart than this, one of them was changed. */
export const CLOCK_MARGIN_MS = 10 * 60_000;

/** Says whether two moments (ISO 8601) may be one, as two clocks have it. */
export function isNear(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(Date.parse(one) - Date.parse(other)) <= CLOCK_MARGIN_MS;
}

/** X.520 upper bound of a common name, in characters. Source: RFC 5280, appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

/** Says whether a certificate bears this name: a person's does; the organisation's, issued under no policy of signers', signs for several. */
export function isNamed(
  name: string,
  { subject, policyOids }: NonNullable<SignatureReport["certificate"]>,
): boolean {
  return (
    policyOids.length === 0 || [...name].slice(0, MAX_COMMON_NAME).join("") === subject.commonName
  );
}
