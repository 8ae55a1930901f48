import { failure, problem, type Result, success } from "@paraphe/contracts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { noTextBecause, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { isLastRequestRefused } from "../notices/public.ts";
import { auditActor } from "./audit-actor.ts";
import { changeEnvelope } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { decideResend } from "./domain/decide-correction.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { limitAskingOne, mayAskToday } from "./limit-actions.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { updateReminded } from "./recipient-store.ts";
import { selectOwner, selectWaitingActs, updateEnvelopeRow } from "./store.ts";

export type Resending = EnvelopeCommand & { readonly recipientId: string; readonly channel: "email" | "sms" };

/**
 * Asks one recipient again, by mail or by text, with a fresh link; held back for a while after the last, and thaws a frozen link as a reminder does.
 * Errors: `not_found`, `not_allowed`, those of `decideResend`; `validation` (a text without a number, or without a gateway); `too_many_requests`, `too_many_messages`, `mail_off`.
 */
export async function resendInvitation(platform: Platform, command: Resending): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(platform, { command, action: "remind" }, async (trx, { envelope, recipients }) => {
    const now = platform.clock();
    const acts = await selectWaitingActs(trx, envelope.id);
    const consenting = new Set(acts.map((act) => act.recipientId));
    const lastRefused = await isLastRequestRefused(trx, { envelopeId: envelope.id, recipientId: command.recipientId });
    const decision = decideResend({ envelope, recipients }, { recipientId: command.recipientId, now, consenting, lastRefused });
    if (!decision.ok) return decision;
    const recipient = decision.value;
    if (command.channel === "sms" && textableNumber(platform.settings, recipient.phoneNumber) === null)
      return failure(problem("validation", { errors: { channel: [noTextBecause(platform.settings, recipient.phoneNumber)] } }));
    const mailed = command.channel === "email" ? checkMail(platform.settings) : success(null);
    if (!mailed.ok) return mailed;
    const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: [recipient], channel: command.channel });
    if (!spent.ok) return spent;
    const limited = await limitAskingOne({ ...platform, db: trx }, { recipientId: recipient.id, ownerId: envelope.ownerId, lastRefused });
    if (!limited.ok) return limited;
    await updateReminded(trx, [recipient.id], now);
    await updateEnvelopeRow(trx, { id: envelope.id, now });
    await inviteRecipients(trx, platform, {
      kind: "invitation",
      envelope,
      owner: await selectOwner(trx, envelope.ownerId),
      recipients: [recipient],
      channel: command.channel,
      actor: auditActor(command.actor),
      occasion: `resent:${now.toISOString()}`,
    });
    return success(null);
  });
}
