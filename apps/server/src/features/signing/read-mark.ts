import {
  failure,
  type Problem,
  problem,
  problemSentence,
  type Result,
  type SignatureMark,
  type SignRequest,
  success,
} from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { findSavedSignature, noteSignatureUse, readNewMark } from "./marks/saved-signatures.ts";
import type { StoredMark } from "./seal/store.ts";

/** A mark to draw, with what the journal records of it. */
export type ReadMark = { readonly mark: StoredMark; readonly evidence: MarkEvidence };
/** `initials` null: the mark serves for both. */
type ReadMarks = ReadMark & { readonly initials: StoredMark | null };
/**
 * `saved_signature`, `saved_initials`: which of the signer's own; `batch`: the consent covers that
 * batch.
 */
export type MarkEvidence = {
  readonly mark: SignatureMark["kind"];
  readonly saved_signature?: string;
  readonly initials?: SignatureMark["kind"];
  readonly saved_initials?: string;
  readonly batch?: string;
};
type Signer = {
  readonly platform: Pick<Platform, "db" | "secrets" | "images">;
  readonly userId: string | null;
};

/**
 * Reads a mark made for this request, or a saved one of this user.
 * Errors: those of `readNewMark`; `not_found` for a saved signature of another, or of a guest.
 */
export async function readMark(
  { platform, userId }: Signer,
  asked: SignatureMark,
): Promise<Result<ReadMark>> {
  if (asked.kind !== "saved") {
    const made = await readNewMark(platform.images, asked);
    return made.ok ? success({ mark: made.value, evidence: { mark: asked.kind } }) : made;
  }
  if (userId === null) return failure(problem("not_found"));
  const kept = await findSavedSignature(platform, { id: asked.saved_signature_id, userId });
  return kept.ok
    ? success({
        mark: kept.value.mark,
        evidence: { mark: "saved", saved_signature: kept.value.id },
      })
    : kept;
}

type AskedMarks = Pick<SignRequest, "signature" | "initials">;

/** Errors: those of `readMark`, the initials' under `initials`. */
export async function readMarks(
  signer: Signer,
  { signature, initials }: AskedMarks,
): Promise<Result<ReadMarks>> {
  const mark = await readMark(signer, signature);
  if (!mark.ok) return mark;
  if (initials === undefined) return success({ ...mark.value, initials: null });
  const own = await readMark(signer, initials);
  if (!own.ok) return failure(ofInitials(own.error));
  const { mark: kind, saved_signature } = own.value.evidence;
  const said = {
    initials: kind,
    ...(saved_signature === undefined ? {} : { saved_initials: saved_signature }),
  };
  return success({
    ...mark.value,
    initials: own.value.mark,
    evidence: { ...mark.value.evidence, ...said },
  });
}

/** Names the initials as the mark refused. */
export function ofInitials(refusal: Problem): Problem {
  const { errors } = refusal;
  return {
    ...refusal,
    errors: {
      initials: errors === undefined ? [problemSentence(refusal)] : Object.values(errors).flat(),
    },
  };
}

/** In the transaction of the consent; only saved marks are noted. */
export async function noteMarkUse(
  trx: Transaction,
  {
    userId,
    evidence,
    now,
  }: { readonly userId: string | null; readonly evidence: MarkEvidence; readonly now: Date },
): Promise<void> {
  const used = new Set([evidence.saved_signature, evidence.saved_initials]);
  for (const id of used)
    if (userId !== null && id !== undefined) await noteSignatureUse(trx, { id, userId }, now);
}
