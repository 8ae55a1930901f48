import { type ChangeSignatureRequest, failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import type { SavedWithMark } from "./save-signature.ts";
import { clearDefault, lockSignatures, type OwnId, selectSignature, updateSignature } from "./store.ts";
import { unwrapMark } from "./wrapped-mark.ts";

/** Renames a signature, or makes it the default one in the place of another. Errors: `not_found`. */
export async function changeSignature(
  platform: Platform,
  own: OwnId,
  { name, is_default: isDefault }: ChangeSignatureRequest,
): Promise<Result<SavedWithMark>> {
  return inTransaction(platform.db, async (trx) => {
    await lockSignatures(trx, own.userId);
    const kept = await selectSignature(trx, own);
    if (kept === null) return failure(problem("not_found"));
    if (isDefault === true) await clearDefault(trx, own.userId);
    const change = { ...(name === undefined ? {} : { name }), ...(isDefault === undefined ? {} : { is_default: isDefault }) };
    await updateSignature(trx, own, change);
    platform.log.info({ userId: own.userId, savedSignatureId: own.id, changed: Object.keys(change) }, "a saved signature was changed");
    const mark = unwrapMark(platform.secrets, own, kept.markWrapped);
    return success({ ...kept, mark, name: name ?? kept.name, isDefault: isDefault ?? kept.isDefault });
  });
}
