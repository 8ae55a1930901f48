import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import type { SecretBox } from "../../../platform/secrets/secret-box.ts";
import type { SavedWithMark } from "./save-signature.ts";
import { type OwnId, selectSignature, updateSignature } from "./store.ts";
import { unwrapMark } from "./wrapped-mark.ts";

/** Gives one signature with what it is made of, to its owner. Errors: `not_found`, somebody else's included. */
export async function findSavedSignature(
  { db, secrets }: { readonly db: Reader; readonly secrets: SecretBox },
  own: OwnId,
): Promise<Result<SavedWithMark>> {
  const kept = await selectSignature(db, own);
  return kept === null ? failure(problem("not_found")) : success({ ...kept, mark: unwrapMark(secrets, own, kept.markWrapped) });
}

/** Notes, in the transaction of the consent, that a signature served. */
export async function noteSignatureUse(trx: Transaction, own: OwnId, now: Date): Promise<void> {
  await updateSignature(trx, own, { last_used_at: now });
}
