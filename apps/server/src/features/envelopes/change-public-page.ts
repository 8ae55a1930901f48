import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { requireOwner } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import { limitAction } from "./limit-actions.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { publicPageEvent } from "./public-page-event.ts";
import { updateEnvelopeRow } from "./store.ts";

/**
 * Has the public page show the document, or the proof alone: its sender's to say, whatever became of the envelope, since the paper lives on.
 * Errors: `not_found`, `not_allowed`, `too_many_requests`.
 */
export async function changePublicPage(
  platform: Platform,
  command: EnvelopeCommand & { readonly proofOnly: boolean },
): Promise<Result<EnvelopeAggregate>> {
  const { envelopeId, actor, proofOnly } = command;
  return inTransaction(platform.db, async (trx) => {
    const owned = requireOwner(await lockEnvelope(trx, envelopeId), actor.user);
    if (!owned.ok || owned.value.envelope.proofOnly === proofOnly) return owned;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "publicPage", id: envelopeId });
    if (!limited.ok) return limited;
    await updateEnvelopeRow(trx, { id: envelopeId, now: platform.clock(), proof_only: proofOnly });
    await appendEvent(trx, platform, publicPageEvent(command));
    const after = await loadEnvelope(trx, envelopeId);
    return after === null ? failure(problem("not_found")) : success(after);
  });
}
