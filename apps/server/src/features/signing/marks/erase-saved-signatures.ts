import type { Transaction } from "../../../platform/database/database.ts";
import { forgetAnswers } from "../../../platform/idempotency/forget-answers.ts";
import { deleteSignature, lockSignatures, selectSignatures } from "./store.ts";

/** Erases, in the caller's transaction, what a closed account kept as signatures. May run twice. */
export async function eraseSavedSignatures(trx: Transaction, userId: string): Promise<void> {
  await lockSignatures(trx, userId);
  for (const { id } of await selectSignatures(trx, userId)) {
    await deleteSignature(trx, { id, userId });
    await forgetAnswers(trx, id);
  }
}
