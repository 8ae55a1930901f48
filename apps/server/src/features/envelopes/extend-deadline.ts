import { type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { announceDeadline } from "./announce-deadline.ts";
import { auditActor } from "./audit-actor.ts";
import { changeEnvelope } from "./change-envelope.ts";
import { markReopened, updateWarned } from "./deadline-store.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { decideExtension } from "./domain/decide-extension.ts";
import { warnedBy } from "./domain/decide-warning.ts";
import { limitAction } from "./limit-actions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { updateAwaited } from "./recipient-store.ts";
import { updateEnvelopeRow } from "./store.ts";

/** `deadlineAt` null: a week more. */
export type DeadlineExtension = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Puts off the deadline of an open envelope, or opens one again that had expired: its links work again. Those awaited are told.
 * Errors: `not_found`, `not_allowed`, those of `decideExtension`, `too_many_requests`.
 */
export async function extendDeadline(platform: Platform, command: DeadlineExtension): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(platform, { command, action: "extend" }, async (trx, { envelope, recipients }) => {
    const now = platform.clock();
    const decision = decideExtension({ envelope, recipients }, { deadlineAt: command.deadlineAt, now });
    if (!decision.ok) return decision;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "extend", id: envelope.id });
    if (!limited.ok) return limited;
    const { deadlineAt, status, awaited, reopened } = decision.value;
    await updateEnvelopeRow(trx, { id: envelope.id, now, status, deadline_at: deadlineAt, extension_requested_at: null });
    await withdrawNotices(trx, platform, { envelopeId: envelope.id, only: "warnings" });
    // The message that tells the new deadline is the warning of one that is near.
    await updateWarned(trx, { envelopeId: envelope.id, days: warnedBy(deadlineAt, now) });
    await updateAwaited(trx, { envelopeId: envelope.id, awaited, invited: awaited, now });
    if (reopened) await markReopened(trx, awaited);
    await appendEvent(trx, platform, {
      envelopeId: envelope.id,
      action: "deadline_extended",
      actor: auditActor(command.actor),
      detail: { from: envelope.deadlineAt?.toISOString() ?? null, to: deadlineAt.toISOString(), reopened },
    });
    await announceDeadline(trx, platform, { envelopeId: envelope.id, deadlineAt });
    return success(null);
  });
}
