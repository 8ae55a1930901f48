import type { Inclusion, Proof } from "@paraphe/contracts";
import {
  isEndLogged,
  type JournalFacts,
  readJournal,
  verifyInclusion,
  verifyTrustedCheckpoint,
} from "@paraphe/proof/parts";
import type { Database } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import {
  eventFault,
  leafOf,
  readInclusion,
  readLoggedHeads,
  readStoredJournal,
  type StoredEvent,
  wasLeftOut,
} from "../../journal/public.ts";
import type { PrintDeps } from "./print-deps.ts";
import { readOneMoment } from "./store.ts";

/**
 * `broken`: an event changed, missing or moved; `unlike_log`: the chain lacks a head that the log
 * has.
 */
export type ChainVerdict =
  | { readonly intact: true; readonly count: number; readonly head: Uint8Array }
  | {
      readonly intact: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: "broken" | "unlike_log";
    };

/** A journal at one moment, its projection, and its place in the public log. */
export type EnvelopeRecord = {
  readonly id: string;
  readonly events: readonly StoredEvent[];
  readonly facts: JournalFacts;
  readonly chain: ChainVerdict;
  readonly inclusion: Inclusion | null;
};

/** Reads the journal at one moment, and no other row. */
export function readRecord(db: Database, id: string): Promise<EnvelopeRecord> {
  return inTransaction(db, async (trx) => {
    await readOneMoment(trx);
    const events = await Array.fromAsync(readStoredJournal(trx, id));
    const inclusion = await readInclusion(trx, id);
    const heads = new Map(await readLoggedHeads(trx, id));
    if (inclusion !== null) heads.set(inclusion.entry.sequence, inclusion.entry.head);
    const facts = readJournal(events.map((event) => ({ ...event, at: event.at.toISOString() })));
    return { id, events, facts, chain: verifyRecord(id, events, heads), inclusion };
  });
}

/** Also compares the chain with its heads (hex) in the log. */
function verifyRecord(
  envelopeId: string,
  events: readonly StoredEvent[],
  heads: ReadonlyMap<number, string>,
): ChainVerdict {
  let head: Uint8Array | null = null;
  for (const [index, event] of events.entries()) {
    const sequence = index + 1;
    const logged = heads.get(sequence);
    if (eventFault(event, { envelopeId, sequence, previous: head }) !== null)
      return { intact: false, count: sequence, sequence, reason: "broken" };
    if (logged !== undefined && logged !== Buffer.from(event.hash).toString("hex"))
      return { intact: false, count: sequence, sequence, reason: "unlike_log" };
    head = event.hash;
  }
  const count = events.length;
  // Every envelope has an event: a journal without any has lost them.
  if (head === null) return { intact: false, count, sequence: 1, reason: "broken" };
  const cut = [...heads.keys()].find((sequence) => sequence > count);
  return cut === undefined
    ? { intact: true, count, head }
    : { intact: false, count, sequence: cut, reason: "unlike_log" };
}

/**
 * Checks that the entry leads to the checkpoint's root, signed by a seal of this service not
 * revoked then, at a time a known authority attests.
 * Source: RFC 9162 §2.1.3.2.
 */
export async function isLogSound(
  deps: PrintDeps,
  { entry, leaf_index, size, path, checkpoint }: Inclusion,
): Promise<boolean> {
  const isIncluded =
    size === checkpoint.size &&
    verifyInclusion({
      leafHash: leafOf(entry),
      leafIndex: leaf_index,
      size,
      path: path.map(fromHex),
      root: fromHex(checkpoint.root),
    });
  return isIncluded && (await isCheckpointOurs(deps, checkpoint));
}

async function isCheckpointOurs(
  { platform, trust }: PrintDeps,
  checkpoint: Inclusion["checkpoint"],
): Promise<boolean> {
  const verdict = await verifyTrustedCheckpoint(checkpoint, {
    evidence: await trust.currentEvidence(),
    now: platform.clock(),
  });
  // The seal identifies the log: the checkpoint may name a former address.
  if (!verdict.ok) return false;
  return (await trust.seals()).some((der) => Buffer.compare(der, verdict.facts.seal.der) === 0);
}

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "hex"));
}

/**
 * `isLogSound`: what is shown of the log was recomputed; `isLate`: the log lacks the completion, or
 * has it from long after.
 */
type ProvenJournal = Pick<Proof, "chain" | "inclusion" | "completion_logged"> & {
  readonly isLogSound: boolean;
  readonly isLate: boolean;
};

/** Checkpoints are hourly; as long again for an unavailable authority. Units: milliseconds. */
const LOGGED_WITHIN_MS = 2 * 3_600_000;

export async function proveJournal(
  deps: PrintDeps,
  record: EnvelopeRecord,
): Promise<ProvenJournal> {
  return {
    chain: { intact: record.chain.intact, count: record.chain.count },
    inclusion: record.inclusion,
    completion_logged: isEndLogged(record, record.facts),
    isLogSound: record.inclusion === null || (await isLogSound(deps, record.inclusion)),
    isLate: await isLate(deps, record),
  };
}

/**
 * Checkpoints cover everything committed before them: one without the completion shows that it was
 * backdated.
 */
async function isLate(
  { platform }: PrintDeps,
  { id, facts, inclusion }: EnvelopeRecord,
): Promise<boolean> {
  const { completedAt, completedSequence } = facts;
  if (completedAt === null || completedSequence === null) return false;
  const limit = new Date(Date.parse(completedAt) + LOGGED_WITHIN_MS);
  if (platform.clock() <= limit) return false;
  if (!isEndLogged({ inclusion }, { completedSequence })) return true;
  return wasLeftOut(platform.db, { envelopeId: id, sequence: completedSequence, after: limit });
}
