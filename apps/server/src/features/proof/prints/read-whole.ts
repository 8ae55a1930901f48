import type { Inclusion, Proof } from "@paraphe/contracts";
import { type JournalFacts, readJournalFacts } from "@paraphe/proof/parts";
import type { Database, Transaction } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { isSigned } from "../../documents/public.ts";
import { type EnvelopeAggregate, loadEnvelope } from "../../envelopes/public.ts";
import {
  eventFault,
  readInclusion,
  readLoggedHeads,
  readStoredJournal,
  type StoredEvent,
} from "../../journal/public.ts";
import {
  loadRecordedSignatures,
  loadTombstone,
  readOneMoment,
  type RecordedSignature,
  type Tombstone,
} from "./store.ts";

type StoredChain = {
  readonly id: string;
  readonly events: readonly StoredEvent[];
  readonly inclusion: Inclusion | null;
  /** Heads that the log holds (hex), by the number of their event. */
  readonly heads: ReadonlyMap<number, string>;
};

/**
 * Recomputes an envelope's journal from its first event, and holds it against the public log: an event that was edited, taken out or moved breaks the
 * chain; a chain that was made anew lacks a head that the log holds.
 */
function proveChain({ id, events, inclusion, heads }: StoredChain): Proof["chain"] {
  let [met, previous]: [number, Uint8Array | null] = [0, null];
  for (const [index, event] of events.entries()) {
    const sequence = index + 1;
    const logged = heads.get(sequence);
    const head = Buffer.from(event.hash).toString("hex");
    const isLogged =
      (logged ?? head) === head &&
      (inclusion?.entry.sequence !== sequence || inclusion.entry.head === head);
    if (!isLogged || eventFault(event, { envelopeId: id, sequence, previous }) !== null)
      return { intact: false, count: sequence };
    previous = event.hash;
    if (logged !== undefined) met += 1;
  }
  return { intact: events.length > 0 && met === heads.size, count: events.length };
}

/** What is stored of an envelope at one moment: its rows, its journal and where that stands in the log. `aggregate` is null once it is purged. */
export type WholeEnvelope = {
  readonly id: string;
  readonly aggregate: EnvelopeAggregate | null;
  readonly tombstone: Tombstone;
  readonly recorded: readonly RecordedSignature[];
  readonly events: readonly StoredEvent[];
  readonly facts: JournalFacts;
  readonly inclusion: Inclusion | null;
  /** Hexadecimal, by the number of the event. */
  readonly heads: ReadonlyMap<number, string>;
  /** The journal recomputed: what it says is believed while it is intact. */
  readonly chain: Proof["chain"];
};

/** Reads all that is stored of an envelope as of one moment: what somebody signs meanwhile is in none of it. */
export function readWhole(db: Database, id: string): Promise<WholeEnvelope> {
  return inTransaction(db, async (trx) => {
    await readOneMoment(trx);
    return readIn(trx, id);
  });
}

async function readIn(trx: Transaction, id: string): Promise<WholeEnvelope> {
  const aggregate = await loadEnvelope(trx, id);
  const tombstone = await loadTombstone(trx, id);
  const recorded = await loadRecordedSignatures(trx, id);
  const events = await Array.fromAsync(readStoredJournal(trx, id));
  const inclusion = await readInclusion(trx, id);
  const heads = await readLoggedHeads(trx, id);
  const chain = proveChain({ id, events, inclusion, heads });
  return {
    id,
    aggregate,
    tombstone,
    recorded,
    events,
    facts: factsOf(events),
    inclusion,
    heads,
    chain,
  };
}

export function factsOf(events: readonly StoredEvent[]): JournalFacts {
  return readJournalFacts(events.map((event) => ({ ...event, at: event.at.toISOString() })));
}

/**
 * Gives what is stored of an envelope that was read before: its journal up to where its files were as they were read, so that what somebody signed since
 * is held against nothing.
 */
export async function readWholeOf(db: Database, read: EnvelopeAggregate): Promise<WholeEnvelope> {
  const whole = await readWhole(db, read.envelope.id);
  if (isSame(whole.aggregate, read)) return whole;
  const waiting = new Set(
    read.recipients.filter(({ status }) => status !== "signed").map(({ id }) => id),
  );
  const recorded = whole.recorded.filter(
    ({ recipientId }) => recipientId === null || !waiting.has(recipientId),
  );
  const signed = read.documents
    .filter(isSigned)
    .map(({ id, current }) => `${id}:${Buffer.from(current.sha256).toString("hex")}`);
  for (let count = whole.events.length; count > 0; count -= 1) {
    const events = whole.events.slice(0, count);
    const facts = factsOf(events);
    const named = [...facts.files].flatMap(([id, files]) =>
      files.length === 0 ? [] : [`${id}:${files.at(-1)}`],
    );
    if (named.toSorted().join() === signed.toSorted().join())
      return { ...whole, aggregate: read, recorded, events, facts };
  }
  return { ...whole, aggregate: read, recorded };
}

function isSame(one: EnvelopeAggregate | null, other: EnvelopeAggregate): boolean {
  const filesOf = ({ documents }: EnvelopeAggregate) =>
    documents.map(({ current }) => Buffer.from(current.sha256).toString("hex")).join();
  return (
    one !== null &&
    one.envelope.version === other.envelope.version &&
    filesOf(one) === filesOf(other)
  );
}
