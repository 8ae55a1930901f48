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

/** A signer's mark as it will be drawn, with what the journal says of it. */
export type ReadMark = { readonly mark: StoredMark; readonly evidence: MarkEvidence };
/** A signer's mark, and the initials of their own; null: the mark serves for both. */
type ReadMarks = ReadMark & { readonly initials: StoredMark | null };
/**
 * `saved_signature`: which of the signer's own it was; `initials` and `saved_initials`: the same of initials of their own;
 * `batch`: the consent was to all the documents of that batch.
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
 * Reads how a signature looks: made for this once, or one of those that this user keeps.
 * Errors: those of `readNewMark`; `not_found` for a saved signature that is not this person's; a guest has none.
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

/**
 * Reads the signature of a request, and its initials where it gives some.
 * Errors: those of `readMark`; what is wrong with the initials is under `initials`.
 */
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

/** The same refusal, said of the initials: whoever signs has two marks, and must know which is refused. */
export function ofInitials(refusal: Problem): Problem {
  const { errors } = refusal;
  return {
    ...refusal,
    errors: {
      initials: errors === undefined ? [problemSentence(refusal)] : Object.values(errors).flat(),
    },
  };
}

/** Notes, in the transaction of a consent, that saved signatures served, as signature or as initials; for any other mark there is nothing to note. */
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
