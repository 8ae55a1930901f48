import type { Transaction } from "../../platform/database/database.ts";
import { noteSignatureUse } from "../saved-signatures/index.ts";
import type { MarkEvidence } from "./read-mark.ts";

/** Notes, in the transaction of a consent, that a saved signature served; for any other mark there is nothing to note. */
export async function noteMarkUse(
  trx: Transaction,
  { userId, evidence, now }: { readonly userId: string | null; readonly evidence: MarkEvidence; readonly now: Date },
): Promise<void> {
  if (userId === null || evidence.saved_signature === undefined) return;
  await noteSignatureUse(trx, { id: evidence.saved_signature, userId }, now);
}
