import type { Database } from "../../../platform/database/database.ts";
import { type EnvelopeAggregate, loadEnvelope } from "../../envelopes/public.ts";
import { readWholeOf, type WholeEnvelope } from "../prints/read-whole.ts";
import { type ActFacts, selectActs } from "../../signing/public.ts";

/** An envelope, its consents and its journal, as of one moment. */
export type StableEnvelope = { readonly aggregate: EnvelopeAggregate; readonly acts: readonly ActFacts[]; readonly whole: WholeEnvelope };

const MOST_TRIES = 5;

/** Reads an envelope while nobody changes it: what somebody signs between two readings would be a difference between them. */
export async function readStable(db: Database, read: EnvelopeAggregate): Promise<StableEnvelope> {
  let aggregate = read;
  for (let tries = 1; ; tries += 1) {
    const acts = await selectActs(db, read.envelope.id);
    const whole = await readWholeOf(db, aggregate);
    const [after, actsAfter] = [await loadEnvelope(db, read.envelope.id), await selectActs(db, read.envelope.id)];
    const isStable = after === null || (after.envelope.version === aggregate.envelope.version && stateOf(actsAfter) === stateOf(acts));
    if (isStable || tries === MOST_TRIES) return { aggregate, acts, whole };
    aggregate = after;
  }
}

function stateOf(acts: readonly ActFacts[]): string {
  return acts.map(({ recipientId, signedAt, sealedAt }) => `${recipientId} ${signedAt.getTime()} ${sealedAt?.getTime() ?? ""}`).join();
}
