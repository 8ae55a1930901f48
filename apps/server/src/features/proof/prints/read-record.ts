import type { Inclusion, Proof } from "@paraphe/contracts";
import { type JournalFacts, readJournal } from "@paraphe/proof/parts";
import type { Database } from "../../../platform/database/database.ts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import {
  eventFault,
  readInclusion,
  readLoggedHeads,
  readStoredJournal,
  type StoredEvent,
} from "../../journal/public.ts";
import { readOneMoment } from "./store.ts";

/**
 * What recomputing a journal gives. `broken`: an event was edited, taken out or moved;
 * `unlike_log`: the chain was made anew, or cut, and lacks a head that the log holds.
 */
export type ChainVerdict =
  | { readonly intact: true; readonly count: number; readonly head: Uint8Array }
  | {
      readonly intact: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: "broken" | "unlike_log";
    };

/** An envelope's journal at one moment, what it says, and where it stands in the public log. */
export type EnvelopeRecord = {
  readonly id: string;
  readonly events: readonly StoredEvent[];
  readonly facts: JournalFacts;
  readonly chain: ChainVerdict;
  readonly inclusion: Inclusion | null;
};

/** Reads an envelope's journal as of one moment: no row beside it is read. */
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

/** Recomputes a journal, and compares it with the heads (hex) of it that the log holds. */
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
  // An envelope has had an event since it exists.
  if (head === null) return { intact: false, count, sequence: 1, reason: "broken" };
  const cut = [...heads.keys()].find((sequence) => sequence > count);
  return cut === undefined
    ? { intact: true, count, head }
    : { intact: false, count, sequence: cut, reason: "unlike_log" };
}

/** Gives the verdict on a chain as the public page has it. */
export const presentChain = ({ intact, count }: ChainVerdict): Proof["chain"] => ({
  intact,
  count,
});
