import { failure, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../audit/index.ts";
import { auditActor } from "./audit-actor.ts";
import { requireOwner } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { type EnvelopeAggregate, loadEnvelope } from "./load-envelope.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { updateEnvelopeRow } from "./store.ts";

/**
 * Has the public page show the document, or the proof alone: its sender's to say, whatever became of the envelope, since the paper lives on.
 * Errors: `not_found`, `not_allowed`.
 */
export async function changePublicPage(
  platform: Platform,
  command: EnvelopeCommand & { readonly proofOnly: boolean },
): Promise<Result<EnvelopeAggregate>> {
  const { envelopeId, actor, proofOnly } = command;
  return inTransaction(platform.db, async (trx) => {
    const owned = requireOwner(await lockEnvelope(trx, envelopeId), actor.user);
    if (!owned.ok || owned.value.envelope.proofOnly === proofOnly) return owned;
    await updateEnvelopeRow(trx, { id: envelopeId, now: platform.clock(), proof_only: proofOnly });
    await appendEvent(trx, platform, {
      envelopeId,
      action: "public_page_changed",
      actor: auditActor(actor),
      detail: { proof_only: proofOnly },
    });
    const after = await loadEnvelope(trx, envelopeId);
    return after === null ? failure(problem("not_found")) : success(after);
  });
}
