import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { SYSTEM_ACTOR } from "../journal/public.ts";
import { planReminders } from "./domain/plan-reminders.ts";
import { forEachDue } from "./for-each-due.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { countAutomaticReminder } from "./recipient-store.ts";
import { selectReminderDue, setNextReminder } from "./reminder-store.ts";
import { selectOwner, selectWaitingActs, updateEnvelopeRow } from "./store.ts";

/** Sends every automatic reminder that is due, where mail leaves, each envelope in a transaction of its own; gives how many people were reminded. */
export async function remindDue(platform: Platform): Promise<number> {
  // Reminders are mails. Those that come due meanwhile stay due, uncounted, for the day the service sends mail again.
  if (platform.settings.mailDisabled) return 0;
  let reminded = 0;
  await forEachDue(platform, {
    what: "an automatic reminder",
    select: (window) => selectReminderDue(platform.db, { now: platform.clock(), ...window }),
    run: async (id) => {
      reminded += await remindAutomatically(platform, id);
      return true;
    },
  });
  return reminded;
}

/**
 * Reminds those of one envelope whose time has come, and says when to look at it again; gives how many were reminded. May run twice:
 * who has just been asked is not due.
 */
export async function remindAutomatically(platform: Platform, envelopeId: string): Promise<number> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null) return 0;
    const { envelope, recipients } = aggregate;
    const now = platform.clock();
    const acts = await selectWaitingActs(trx, envelopeId);
    const plan = planReminders({ envelope, recipients, consenting: new Set(acts.map((act) => act.recipientId)) }, now);
    if (plan.due.length > 0) {
      await countAutomaticReminder(trx, { ids: plan.due.map((recipient) => recipient.id), now });
      await updateEnvelopeRow(trx, { id: envelopeId, now });
      await inviteRecipients(trx, platform, {
        kind: "reminder",
        envelope,
        owner: await selectOwner(trx, envelope.ownerId),
        recipients: plan.due,
        actor: SYSTEM_ACTOR,
        occasion: `automatic:${now.toISOString()}`,
      });
    }
    await setNextReminder(trx, { envelopeId, at: plan.nextAt });
    return plan.due.length;
  });
}
