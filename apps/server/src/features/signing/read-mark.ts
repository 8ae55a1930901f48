import { failure, problem, type Result, type SignatureMark, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { findSavedSignature, readNewMark } from "../saved-signatures/index.ts";
import type { KeptMark } from "../sealing/index.ts";

/** A signer's mark as it will be drawn, with what the journal says of it. */
export type ReadMark = { readonly mark: KeptMark; readonly evidence: MarkEvidence };
/** `saved_signature`: which of the signer's own it was; `batch`: the consent was to all the documents of that batch. */
export type MarkEvidence = { readonly mark: SignatureMark["kind"]; readonly saved_signature?: string; readonly batch?: string };

/**
 * Reads how a signature looks: made for this once, or one of those that this user keeps.
 * Errors: those of `readNewMark`; `not_found` for a saved signature that is not this person's; a guest has none.
 */
export async function readMark(
  { platform, userId }: { readonly platform: Pick<Platform, "db" | "secrets" | "images">; readonly userId: string | null },
  asked: SignatureMark,
): Promise<Result<ReadMark>> {
  if (asked.kind !== "saved") {
    const made = await readNewMark(platform.images, asked);
    return made.ok ? success({ mark: made.value, evidence: { mark: asked.kind } }) : made;
  }
  if (userId === null) return failure(problem("not_found"));
  const kept = await findSavedSignature(platform, { id: asked.saved_signature_id, userId });
  return kept.ok ? success({ mark: kept.value.mark, evidence: { mark: "saved", saved_signature: kept.value.id } }) : kept;
}
