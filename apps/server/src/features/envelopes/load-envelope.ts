import type { Reader, Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { StoredDocument } from "../documents/public.ts";
import { type EnvelopeParts, lockEnvelopeRow, selectEnvelope } from "./store.ts";

/** An envelope with all its parts, each list in order. */
export type EnvelopeAggregate = EnvelopeParts & { readonly documents: readonly StoredDocument[] };

/** Gives an envelope that is not purged, or null. */
export function loadEnvelope(reader: Reader, id: string): Promise<EnvelopeAggregate | null> {
  return selectEnvelope(reader, id);
}

/** Takes the lock that every writer of an envelope takes first, then gives the envelope as it is under it; null when there is none. */
export async function lockEnvelope(
  trx: Transaction,
  id: string,
): Promise<EnvelopeAggregate | null> {
  // Two statements, sent together: one that waited for the lock would still show the state from before the wait.
  const [locked, aggregate] = await together([lockEnvelopeRow(trx, id), loadEnvelope(trx, id)]);
  return locked ? aggregate : null;
}
