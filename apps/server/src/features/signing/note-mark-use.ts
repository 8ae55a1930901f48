import type { Transaction } from "../../platform/database/database.ts";
import { noteSignatureUse } from "./marks/use-signature.ts";
import type { MarkEvidence } from "./read-mark.ts";

/** Notes, in the transaction of a consent, that saved signatures served, as signature or as initials; for any other mark there is nothing to note. */
export async function noteMarkUse(
  trx: Transaction,
  { userId, evidence, now }: { readonly userId: string | null; readonly evidence: MarkEvidence; readonly now: Date },
): Promise<void> {
  const used = new Set([evidence.saved_signature, evidence.saved_initials]);
  for (const id of used) if (userId !== null && id !== undefined) await noteSignatureUse(trx, { id, userId }, now);
}
