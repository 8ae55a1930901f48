import { failure, OTP_RESEND_S, OTP_VALIDITY_S, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import { drawCode } from "../../platform/one-time-code/draw-code.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { noTextBecause, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { maskEmail, maskPhone } from "../accounts/public.ts";
import type { EnvelopeRecipient } from "../envelopes/public.ts";
import { appendEvent } from "../journal/public.ts";
import { enqueueNotice, mayStillSend, selectChannel } from "../notices/public.ts";
import { type CodeDoor, holderKey } from "./code-door.ts";
import { decideCodeRequest } from "./domain/decide-code-request.ts";
import { mayText } from "./domain/two-channels.ts";
import { hashCode } from "./hash-code.ts";
import { insertCode, loadCodeTimes } from "./store.ts";

export type CodeChannel = "email" | "sms";
export type SentCodeAnswer = {
  readonly channel: CodeChannel;
  readonly destination: string;
  readonly expires_in: number;
  readonly resend_in: number;
};

const DAY_MS = 86_400_000;

/**
 * Sends a fresh one-time code; the one before it dies. A member's, which confirms the account's address, goes there.
 * Errors: those of the door; `validation` (SMS without a number, or without a gateway); `second_channel_required` (SMS behind a link that was not mailed);
 * `otp_locked` or `address_code_locked`, `otp_cooldown`, `otp_quota`, `otp_daily_quota`; `mail_off`.
 * Source: security lines 36 and 37.
 */
export async function sendCode(
  platform: Platform,
  request: { readonly door: CodeDoor; readonly channel: CodeChannel | undefined },
): Promise<Result<SentCodeAnswer>> {
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const door = await request.door.lock(trx, now);
    if (!door.ok) return door;
    const { recipient, aggregate, holder, wrongTries } = door.value;
    const asked = { door: request.door, recipient, channel: request.channel ?? "email" };
    const reachable = await addressFor(trx, platform, asked);
    if (!reachable.ok) return reachable;
    const sentAt = await loadCodeTimes(trx, holder, new Date(now.getTime() - DAY_MS));
    const decision = decideCodeRequest({ entrance: request.door.entrance, sentAt, wrongTries, now });
    if (!decision.ok) return decision;
    const way = await withinBudget(trx, platform, { ...asked, address: reachable.value, senderId: aggregate.envelope.ownerId });
    if (!way.ok) return way;
    const { channel, address } = way.value;

    const id = platform.newId();
    const code = drawCode(platform.random);
    const expiresAt = new Date(now.getTime() + OTP_VALIDITY_S * 1_000);
    const destination = channel === "sms" ? maskPhone(address) : maskEmail(address);
    const codeHmac = hashCode(platform, { id, to: holderKey(holder), code });
    await together([
      insertCode(trx, { id, holder, codeHmac, channel, createdAt: now, expiresAt }),
      enqueueNotice(trx, platform, {
        kind: "code",
        dedupeKey: codeKey(id),
        channel,
        to: { fullName: recipient.fullName, address, ...(channel === "sms" ? { mailInstead: recipient.email } : {}) },
        envelopeId: aggregate.envelope.id,
        recipientId: recipient.id,
        senderId: aggregate.envelope.ownerId,
        content: { code, envelopeTitle: aggregate.envelope.title, senderName: aggregate.envelope.createdByName },
      }),
      appendEvent(trx, platform, {
        envelopeId: aggregate.envelope.id,
        action: "code_sent",
        actor: request.door.actor,
        detail: { channel, code: id, recipient: recipient.id },
        personal: { destination },
      }),
    ]);
    return success({ channel, destination, expires_in: OTP_VALIDITY_S, resend_in: OTP_RESEND_S });
  });
}

type Asked = { readonly door: CodeDoor; readonly recipient: EnvelopeRecipient; readonly channel: CodeChannel };

/** Gives where the code goes: never to a telephone alone, which the sender may have named. */
async function addressFor(trx: Transaction, platform: Platform, { door, recipient, channel }: Asked): Promise<Result<string>> {
  if (channel === "email") {
    const mailed = checkMail(platform.settings);
    return mailed.ok ? success(recipient.email) : mailed;
  }
  const phone = textableNumber(platform.settings, recipient.phoneNumber);
  if (phone === null)
    return failure(problem("validation", { errors: { channel: [noTextBecause(platform.settings, recipient.phoneNumber)] } }));
  if ("user" in door)
    return failure(
      problem("validation", { errors: { channel: ["Ce code confirme l’adresse de votre compte\u00a0: il part par email."] } }),
    );
  const link = await selectChannel(trx, { linkSha256: door.linkSha256 });
  return mayText(link) ? success(phone) : failure(problem("second_channel_required"));
}

type Way = Pick<Asked, "recipient" | "channel"> & { readonly address: string; readonly senderId: string };

/** Gives how the code goes: by mail once the texts of the day are spent, for it may be others who spent them. */
async function withinBudget(
  trx: Transaction,
  platform: Platform,
  { recipient, channel, address, senderId }: Way,
): Promise<Result<Pick<Way, "channel" | "address">>> {
  const texts = await mayStillSend(trx, platform, [{ kind: "code", channel, destination: address, senderId }]);
  if (texts.ok) return success({ channel, address });
  if (checkMail(platform.settings).ok) return success({ channel: "email", address: recipient.email });
  return failure(problem("otp_daily_quota", texts.error.retryAfterS === undefined ? {} : { retryAfterS: texts.error.retryAfterS }));
}

/** Names the message that carries a code. */
export function codeKey(codeId: string): string {
  return `code:${codeId}`;
}
