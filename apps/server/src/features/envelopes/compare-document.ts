import { type CorrectionAnswer, failure, problem, type Result } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { compareCopy } from "../documents/public.ts";
import { admit } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { loadEnvelope } from "./load-envelope.ts";
import { pdfAccess } from "./pdf-access.ts";

export type DocumentToCompare = EnvelopeCommand & { readonly documentId: string; readonly from: number };

/**
 * Says where the corrected copy of a draft's document would look otherwise than what was uploaded, for its owner.
 * Errors: those of `admit` and `compareCopy`; `not_found`, of a document without a copy to accept too.
 */
export async function compareDocument(
  platform: Platform,
  { envelopeId, documentId, actor, from }: DocumentToCompare,
): Promise<Result<CorrectionAnswer>> {
  const owned = admit(await loadEnvelope(platform.db, envelopeId), { user: actor.user, action: "update" });
  if (!owned.ok) return owned;
  const document = owned.value.documents.find(
    ({ id, control, normalisedAccepted }) => id === documentId && control.result === "fixable" && !normalisedAccepted,
  );
  if (document === undefined) return failure(problem("not_found"));
  const bytes = await platform.files.get(document.original.sha256);
  return compareCopy(pdfAccess(platform, { actor, haste: "patient" }), { name: document.name, bytes, pageCount: document.pageCount, from });
}
