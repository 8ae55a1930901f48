import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import { lockEnvelopeRow } from "./store.ts";

/** Takes the lock that every writer of an envelope takes first, then gives the envelope as it is under it; null when there is none. */
export async function lockEnvelope(trx: Transaction, id: string): Promise<EnvelopeAggregate | null> {
  // Two statements, sent together: one that waited for the lock would still show the state from before the wait.
  const [locked, aggregate] = await together([lockEnvelopeRow(trx, id), loadEnvelope(trx, id)]);
  return locked ? aggregate : null;
}
