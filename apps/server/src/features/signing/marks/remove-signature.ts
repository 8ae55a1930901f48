import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import { forgetAnswers } from "../../../platform/idempotency/forget-answers.ts";
import type { Platform } from "../../../platform/platform.ts";
import { deleteSignature, lockSignatures, type OwnId, selectSignature, selectSignatures, updateSignature } from "./store.ts";

/**
 * Deletes a signature; what was signed with it does not change. The newest of those that stay is the default in the place of one that was.
 * Errors: `not_found`.
 */
export async function removeSignature(platform: Platform, own: OwnId): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    await lockSignatures(trx, own.userId);
    const kept = await selectSignature(trx, own);
    if (kept === null) return failure(problem("not_found"));
    await deleteSignature(trx, own);
    await forgetAnswers(trx, own.id);
    const [next] = await selectSignatures(trx, own.userId);
    if (kept.isDefault && next !== undefined) await updateSignature(trx, { ...own, id: next.id }, { is_default: true });
    platform.log.info({ userId: own.userId, savedSignatureId: own.id }, "a saved signature was deleted");
    return success(null);
  });
}
