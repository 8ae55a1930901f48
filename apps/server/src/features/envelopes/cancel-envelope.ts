import { type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { auditActor } from "./audit-actor.ts";
import { changeEnvelope } from "./change-envelope.ts";
import { checkCancellable } from "./check-closable.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { outcomeOf } from "./domain/transitions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { notifyCancelled } from "./notify-people.ts";
import { updateAwaited } from "./recipient-store.ts";
import { updateEnvelopeRow } from "./store.ts";
import { voidConsents } from "./void-consents.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Cancels an envelope, from any state but cancelled: it stands under 'Supprimé' for 10 days. Those who had been asked to sign an open one are told.
 * A consent that could not be sealed for long is withdrawn, and its person told so.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `signature_in_progress`.
 */
export async function cancelEnvelope(platform: Platform, command: EnvelopeCommand): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(platform, { command, action: "cancel" }, async (trx, aggregate) => {
    const { envelope } = aggregate;
    const outcome = outcomeOf(envelope.status, "cancel");
    if (!outcome.ok) return outcome;
    const now = platform.clock();
    const cancellable = await checkCancellable(trx, { envelopeId: envelope.id, now });
    if (!cancellable.ok) return cancellable;
    const voided = await voidConsents(trx, platform, { envelopeId: envelope.id, actor: auditActor(command.actor) });
    await updateEnvelopeRow(trx, { id: envelope.id, now, status: "cancelled", status_before_cancel: envelope.status, cancelled_at: now });
    await updateAwaited(trx, { envelopeId: envelope.id, awaited: NOBODY, invited: NOBODY, now });
    await appendEvent(trx, platform, {
      envelopeId: envelope.id,
      action: "envelope_cancelled",
      actor: auditActor(command.actor),
      detail: { from: envelope.status },
    });
    if (envelope.status === "sent" || envelope.status === "pending") {
      await withdrawNotices(trx, platform, { envelopeId: envelope.id });
      await notifyCancelled(trx, platform, { ...aggregate, voided });
    }
    return success(null);
  });
}
