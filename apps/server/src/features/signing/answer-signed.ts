import { type Envelope, failure, problem, type Result, success } from "@paraphe/contracts";
import { invalidState, loadEnvelope, presentTo } from "../envelopes/public.ts";
import type { SigningDeps } from "./create-signing.ts";
import { sealWithin } from "./seal-within.ts";

/** 200 once sealed, 202 while it is being sealed (contract §4). */
export type SigningAnswer = { readonly status: 200 | 202; readonly envelope: Envelope };

/**
 * Seals a recorded consent and gives the envelope as its signer sees it.
 * Errors: those of `sealWithin`; `invalid_state` when the envelope closed before the signature was made.
 */
export async function answerSigned(
  deps: SigningDeps,
  signed: { readonly envelopeId: string; readonly recipientId: string; readonly actId: string },
): Promise<Result<SigningAnswer>> {
  const progress = await sealWithin(deps.sealing, { id: signed.actId, envelopeId: signed.envelopeId });
  if (!progress.ok) return progress;
  const aggregate = await loadEnvelope(deps.platform.db, signed.envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  if (progress.value === "void") return failure(invalidState(aggregate.envelope.status));
  const viewer = { kind: "recipient", recipientId: signed.recipientId } as const;
  const envelope = await presentTo(deps.platform, aggregate, { viewer });
  return success({ status: progress.value === "sealed" ? 200 : 202, envelope });
}
