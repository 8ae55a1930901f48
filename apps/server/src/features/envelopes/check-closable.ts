import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { isStuck } from "./domain/stuck-acts.ts";
import { selectWaitingActs } from "./store.ts";

/**
 * Says whether nothing stands in the way of closing an open envelope: a consent that is committed wins, and is sealed first.
 * Errors: `signature_in_progress`.
 */
export async function checkClosable(trx: Transaction, envelopeId: string): Promise<Result<null>> {
  return (await selectWaitingActs(trx, envelopeId)).length > 0 ? inProgress() : success(null);
}

/**
 * The same for the sender's own cancellation, which need not wait for a consent that cannot be sealed.
 * Errors: `signature_in_progress`.
 */
export async function checkCancellable(trx: Transaction, { envelopeId, now }: { envelopeId: string; now: Date }): Promise<Result<null>> {
  const acts = await selectWaitingActs(trx, envelopeId);
  return acts.every((act) => isStuck(act, now)) ? success(null) : inProgress();
}

function inProgress() {
  return failure(problem("signature_in_progress", { retryAfterS: 5 }));
}
