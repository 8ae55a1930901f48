import { type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { withdrawNotices } from "../notices/public.ts";
import { announceDeadline } from "./announce-deadline.ts";
import { auditActor } from "./audit-actor.ts";
import { changeEnvelope } from "./change-envelope.ts";
import { updateWarned } from "./deadline-store.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { decideDeadline } from "./domain/decide-deadline.ts";
import { warnedBy } from "./domain/decide-warning.ts";
import { limitAction } from "./limit-actions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { planRemindersAnew } from "./plan-reminders-anew.ts";
import { selectWaitingActs, updateEnvelopeRow } from "./store.ts";

/** `deadlineAt` null: no deadline any more. */
export type NewDeadline = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Sets, moves or removes the deadline of an envelope that waits for signatures. Those awaited are told of a new one, a moment later and of the last
 * one alone; that there is none any more asks nothing of them.
 * Errors: `not_found`, `not_allowed`, those of `decideDeadline`, `too_many_requests`.
 */
export async function changeDeadline(platform: Platform, command: NewDeadline): Promise<Result<EnvelopeAggregate>> {
  const { deadlineAt } = command;
  return changeEnvelope(platform, { command, action: "adjust" }, async (trx, { envelope, recipients }) => {
    const now = platform.clock();
    const decision = decideDeadline(envelope, { deadlineAt, now });
    if (!decision.ok || decision.value === "same") return decision;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "extend", id: envelope.id });
    if (!limited.ok) return limited;
    const changed = { ...envelope, deadlineAt };
    const consenting = new Set((await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId));
    await updateEnvelopeRow(trx, { id: envelope.id, now, deadline_at: deadlineAt });
    await withdrawNotices(trx, platform, { envelopeId: envelope.id, only: "warnings" });
    await planRemindersAnew(trx, { envelope: changed, recipients, consenting, now });
    const detail = { from: envelope.deadlineAt?.toISOString() ?? null, to: deadlineAt?.toISOString() ?? null };
    await appendEvent(trx, platform, { envelopeId: envelope.id, action: "deadline_changed", actor: auditActor(command.actor), detail });
    // The message that tells the new deadline is the warning of one that is near.
    if (deadlineAt !== null) await updateWarned(trx, { envelopeId: envelope.id, days: warnedBy(deadlineAt, now) });
    await announceDeadline(trx, platform, { envelopeId: envelope.id, deadlineAt });
    return success(null);
  });
}
