import { type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent } from "../journal/public.ts";
import { auditActor } from "./audit-actor.ts";
import { changeEnvelope } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { outcomeOf } from "./domain/transitions.ts";
import { limitAction } from "./limit-actions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { planRemindersAnew } from "./plan-reminders-anew.ts";
import { selectWaitingActs, updateEnvelopeRow } from "./store.ts";

/** `everyDays` null: no automatic reminder any more. */
export type NewReminders = EnvelopeCommand & { readonly everyDays: number | null };

/**
 * Switches the automatic reminders of an envelope that waits for signatures on or off, or times them anew. They count from when each person was last
 * asked: one who has waited that long is reminded as soon as people are at work.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `too_many_requests`.
 */
export async function changeReminders(platform: Platform, command: NewReminders): Promise<Result<EnvelopeAggregate>> {
  const { everyDays } = command;
  return changeEnvelope(platform, { command, action: "adjust" }, async (trx, { envelope, recipients }) => {
    const outcome = outcomeOf(envelope.status, "adjust");
    if (!outcome.ok || everyDays === envelope.remindEveryDays) return outcome;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "reminders", id: envelope.id });
    if (!limited.ok) return limited;
    const now = platform.clock();
    const consenting = new Set((await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId));
    await updateEnvelopeRow(trx, { id: envelope.id, now, remind_every_days: everyDays });
    await planRemindersAnew(trx, { envelope: { ...envelope, remindEveryDays: everyDays }, recipients, consenting, now });
    await appendEvent(trx, platform, {
      envelopeId: envelope.id,
      action: "reminders_changed",
      actor: auditActor(command.actor),
      detail: { from: envelope.remindEveryDays, to: everyDays },
    });
    return success(null);
  });
}
