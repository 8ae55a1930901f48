import { failure, OTP_RESEND_S, OTP_VALIDITY_S, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { together } from "../../platform/database/together.ts";
import type { RequestClient } from "../../platform/http/client-of.ts";
import { drawCode } from "../../platform/one-time-code/draw-code.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import { noTextBecause, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { maskEmail, maskPhone } from "../accounts/index.ts";
import { appendEvent } from "../audit/index.ts";
import { enqueueNotice, mayStillSend } from "../notices/index.ts";
import { hashCode } from "./hash-code.ts";
import { decideCodeRequest } from "./domain/decide-code-request.ts";
import { type Guest, lockGuestDoor } from "./guest-door.ts";
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
 * Sends a fresh one-time code to a guest; the one before it dies.
 * Errors: those of the guest's door; `validation` (SMS without a number, or without a gateway); `otp_locked`, `otp_cooldown`, `otp_quota`, `otp_daily_quota`; `mail_off`.
 * Source: security lines 36 and 37.
 */
export async function sendCode(
  platform: Platform,
  request: { readonly guest: Guest; readonly channel: CodeChannel | undefined; readonly client: RequestClient },
): Promise<Result<SentCodeAnswer>> {
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const [door, sentAt] = await together([
      lockGuestDoor(trx, request.guest, now),
      loadCodeTimes(trx, request.guest.recipient.id, new Date(now.getTime() - DAY_MS)),
    ]);
    if (!door.ok) return door;
    const { recipient, aggregate } = door.value;
    const channel = request.channel ?? "email";
    const phone = textableNumber(platform.settings, recipient.phoneNumber);
    const address = channel === "sms" ? phone : recipient.email;
    if (address === null)
      return failure(problem("validation", { errors: { channel: [noTextBecause(platform.settings, recipient.phoneNumber)] } }));
    const mailed = channel === "email" ? checkMail(platform.settings) : success(null);
    if (!mailed.ok) return mailed;
    const decision = decideCodeRequest({ sentAt, wrongTries: recipient.wrongTries, now });
    if (!decision.ok) return decision;
    const message = {
      kind: "code",
      channel,
      destination: address,
      senderId: aggregate.envelope.ownerId,
      envelopeId: aggregate.envelope.id,
    } as const;
    const spent = await mayStillSend(trx, platform, [message]);
    if (!spent.ok)
      return failure(problem("otp_daily_quota", spent.error.retryAfterS === undefined ? {} : { retryAfterS: spent.error.retryAfterS }));

    const id = platform.newId();
    const code = drawCode(platform.random);
    const expiresAt = new Date(now.getTime() + OTP_VALIDITY_S * 1_000);
    const destination = channel === "sms" ? maskPhone(address) : maskEmail(address);
    const codeHmac = hashCode(platform, { id, recipientId: recipient.id, code });
    await together([
      insertCode(trx, { id, recipientId: recipient.id, codeHmac, channel, createdAt: now, expiresAt }),
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
        actor: guestActor(door.value, request.client),
        detail: { channel },
        personal: { destination },
      }),
    ]);
    return success({ channel, destination, expires_in: OTP_VALIDITY_S, resend_in: OTP_RESEND_S });
  });
}

/** Names the message that carries a code. */
export function codeKey(codeId: string): string {
  return `code:${codeId}`;
}

/** Who acts, as the journal keeps it. */
export function guestActor(guest: Guest, client: RequestClient) {
  return { kind: "recipient", id: guest.recipient.id, name: guest.recipient.fullName, ip: client.ip, userAgent: client.userAgent } as const;
}
