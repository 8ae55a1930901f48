import { type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { auditActor } from "./audit-actor.ts";
import { admit } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { decideReminders } from "./domain/decide-reminders.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { limitAction, mayAskToday } from "./limit-actions.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { updateReminded } from "./recipient-store.ts";
import { selectOwner, selectWaitingActs, updateEnvelopeRow } from "./store.ts";

/**
 * Reminds those whose signature is awaited and who have not agreed (not the sender, as long as others are), each with a fresh link that also thaws one frozen by wrong codes; gives their addresses.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `deadline_passed`, `signature_in_progress`, `remind_cooldown`, `too_many_requests`, `too_many_messages`, `mail_off`.
 */
export async function remindRecipients(platform: Platform, command: EnvelopeCommand): Promise<Result<readonly string[]>> {
  return inTransaction(platform.db, async (trx) => {
    const owned = admit(await lockEnvelope(trx, command.envelopeId), { user: command.actor.user, action: "remind" });
    if (!owned.ok) return owned;
    const { envelope } = owned.value;
    const now = platform.clock();
    const acts = await selectWaitingActs(trx, envelope.id);
    const consenting = new Set(acts.map((act) => act.recipientId));
    const due = decideReminders({ ...owned.value, consenting, senderKey: command.actor.user.email_key }, now);
    if (!due.ok) return due;
    const mailed = checkMail(platform.settings);
    if (!mailed.ok) return mailed;
    const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: due.value });
    if (!spent.ok) return spent;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "remind", id: envelope.id });
    if (!limited.ok) return limited;
    const ids = due.value.map((recipient) => recipient.id);
    await updateReminded(trx, ids, now);
    await updateEnvelopeRow(trx, { id: envelope.id, now });
    const owner = await selectOwner(trx, envelope.ownerId);
    await inviteRecipients(trx, platform, {
      kind: "reminder",
      envelope,
      owner,
      recipients: due.value,
      actor: auditActor(command.actor),
      occasion: now.toISOString(),
    });
    return success(due.value.map((recipient) => recipient.email));
  });
}
