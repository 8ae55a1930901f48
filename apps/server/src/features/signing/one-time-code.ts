import { timingSafeEqual } from "node:crypto";
import {
  failure,
  type GuestEnvelope,
  OTP_RESEND_S,
  OTP_VALIDITY_S,
  OTP_WRONG_TRIES_PER_LINK,
  problem,
  type Result,
  success,
  maskEmail,
  maskPhone,
} from "@paraphe/contracts";
import type { Channel } from "@paraphe/proof";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { RequestClient } from "../../platform/http/request-facts.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import { drawCode } from "../../platform/one-time-code/draw-code.ts";
import type { Platform } from "../../platform/platform.ts";
import { noTextBecause, textableNumber } from "../../platform/sms/create-sms-transport.ts";
import { confirmOwnAddress, type SessionUser } from "../accounts/public.ts";
import { documentsDigest } from "../documents/public.ts";
import {
  commit,
  decideView,
  type EnvelopeRecipient,
  findRecipientByToken,
  tokenSha256,
} from "../envelopes/public.ts";
import type { EventName, NewAuditEvent } from "../journal/public.ts";
import { channelOf, mayStillSend, type Notice, arrivalOf, waysByLink } from "../notices/public.ts";
import { type CodeAccess, hashAddress, holderKey, type OpenedAccess } from "./code-access.ts";
import { areTwoChannels, decideCodeRequest, checkCode, mayText } from "./domain/codes.ts";
import { type GuestCookie, openGuestSession } from "./guest-access.ts";
import {
  codeKey,
  countWrongTry,
  forgetAddressTries,
  insertCode,
  markCodeUsed,
  type StoredCode,
} from "./store.ts";

/** Keyed and bound to sending and recipient, as six digits can be enumerated. */
function hashCode(
  platform: Pick<Platform, "secrets">,
  sent: { readonly id: string; readonly to: string; readonly code: string },
): Uint8Array {
  return platform.secrets.hmac("one-time-code", Buffer.from(`${sent.to}:${sent.id}:${sent.code}`));
}

type CodeChannel = "email" | "sms";
type SentCodeAnswer = {
  readonly channel: CodeChannel;
  readonly destination: string;
  readonly expires_in: number;
  readonly resend_in: number;
};

/**
 * Revokes the previous code. A member's code goes to the account's address.
 * Errors: those of `access.lock`; `validation` (SMS without number or gateway);
 * `second_channel_required`; `otp_locked` or `address_code_locked`, `otp_cooldown`, `otp_quota`,
 * `otp_daily_quota`; `mail_off`.
 * Source: security lines 36 and 37.
 */
export async function sendCode(
  platform: Platform,
  request: { readonly access: CodeAccess; readonly channel: CodeChannel | undefined },
): Promise<Result<SentCodeAnswer>> {
  return inTransaction(platform.db, async (trx) => {
    const now = platform.clock();
    const access = await request.access.lock(trx, now);
    if (!access.ok) return access;
    const { recipient, aggregate, holder, wrongTries, opened } = access.value;
    const asked = {
      isMember: "user" in request.access,
      link: access.value.link,
      recipient,
      channel: request.channel ?? "email",
    };
    const reachable = addressFor(platform, asked);
    if (!reachable.ok) return reachable;
    const sentAt = access.value.codes.map(({ createdAt }) => createdAt);
    const decision = decideCodeRequest({
      entrance: request.access.entrance,
      sentAt,
      wrongTries,
      now,
    });
    if (!decision.ok) return decision;
    const way = await withinBudget(trx, platform, {
      ...asked,
      address: reachable.value,
      senderId: aggregate.envelope.ownerId,
    });
    if (!way.ok) return way;
    const { channel, address } = way.value;

    const id = platform.newId();
    const code = drawCode(platform.random);
    const expiresAt = new Date(now.getTime() + OTP_VALIDITY_S * 1_000);
    const destination = channel === "sms" ? maskPhone(address) : maskEmail(address);
    const codeHmac = hashCode(platform, { id, to: holderKey(holder), code });
    await commit(trx, platform, {
      about: aggregate,
      writes: [
        ...insertCode(
          { id, holder, codeHmac, channel, createdAt: now, expiresAt },
          access.value.codes,
        ),
        opened && arrivalOf(platform, { linkSha256: opened }),
      ],
      events: [
        {
          envelopeId: aggregate.envelope.id,
          action: "code_sent",
          actor: request.access.actor,
          detail: { channel, code: id, recipient: recipient.id },
          personal: { destination },
        },
      ],
      notices: [codeNotice(access.value, { id, code, channel, address })],
    });
    return success({ channel, destination, expires_in: OTP_VALIDITY_S, resend_in: OTP_RESEND_S });
  });
}

type SentCode = {
  readonly id: string;
  readonly code: string;
  readonly channel: CodeChannel;
  readonly address: string;
};

function codeNotice(
  { recipient, aggregate: { envelope } }: OpenedAccess,
  { id, code, channel, address }: SentCode,
): Notice {
  return {
    kind: "code",
    dedupeKey: codeKey(id),
    channel,
    to: {
      fullName: recipient.fullName,
      address,
      ...(channel === "sms" ? { mailInstead: recipient.email } : {}),
    },
    envelopeId: envelope.id,
    recipientId: recipient.id,
    senderId: envelope.ownerId,
    content: {
      code,
      envelopeTitle: envelope.title,
      senderName: envelope.senderName,
      role: recipient.role,
    },
  };
}

type Asked = {
  readonly isMember: boolean;
  readonly link: Channel | null;
  readonly recipient: EnvelopeRecipient;
  readonly channel: CodeChannel;
};

/** A text needs a mailed link before it, since the sender may have given a number of their own. */
function addressFor(
  platform: Platform,
  { isMember, link, recipient, channel }: Asked,
): Result<string> {
  if (channel === "email") {
    const mailed = checkMail(platform.settings);
    return mailed.ok ? success(recipient.email) : mailed;
  }
  const phone = textableNumber(platform.settings, recipient.phoneNumber);
  if (phone === null)
    return failure(
      problem("validation", {
        errors: { channel: [noTextBecause(platform.settings, recipient.phoneNumber)] },
      }),
    );
  if (isMember)
    return failure(
      problem("validation", {
        errors: {
          channel: ["Ce code confirme l’adresse de votre compte\u00a0: il part par email."],
        },
      }),
    );
  return mayText(link) ? success(phone) : failure(problem("second_channel_required"));
}

type Way = Pick<Asked, "recipient" | "channel"> & {
  readonly address: string;
  readonly senderId: string;
};

/** Falls back to email once the SMS budget is spent. */
async function withinBudget(
  trx: Transaction,
  platform: Platform,
  { recipient, channel, address, senderId }: Way,
): Promise<Result<Pick<Way, "channel" | "address">>> {
  const texts = await mayStillSend(trx, platform, [
    { kind: "code", channel, destination: address, senderId },
  ]);
  if (texts.ok) return success({ channel, address });
  if (checkMail(platform.settings).ok)
    return success({ channel: "email", address: recipient.email });
  return failure(
    problem(
      "otp_daily_quota",
      texts.error.retryAfterS === undefined ? {} : { retryAfterS: texts.error.retryAfterS },
    ),
  );
}

/** Called once the code or the mailed link came back in the session of the account. */
async function confirmAddressOf(
  trx: Transaction,
  platform: Platform,
  user: SessionUser,
): Promise<null> {
  // Lock order: the address before the account.
  await forgetAddressTries(trx, hashAddress(platform, user));
  await confirmOwnAddress(trx, platform, user);
  return null;
}

/**
 * Confirms the address of whoever opens a mailed link in the account's session.
 * Errors: `not_found` for a wrong token, another's link, or one not mailed.
 */
export async function confirmByLink(
  platform: Platform,
  {
    envelopeId,
    token,
    user,
  }: { readonly envelopeId: string; readonly token: string; readonly user: SessionUser },
): Promise<Result<null>> {
  return inTransaction<Result<null>>(platform.db, async (trx) => {
    const known = await findRecipientByToken(trx, {
      envelopeId,
      token,
      facts: () => waysByLink(tokenSha256(token)),
    });
    if (known?.recipient.emailKey !== user.email_key || channelOf(known.facts) !== "email")
      return failure(problem("not_found"));
    if (user.recipient_key === null) await confirmAddressOf(trx, platform, user);
    return success(null);
  });
}

type CodeEntry = {
  readonly access: CodeAccess;
  readonly code: string;
  readonly client: RequestClient;
};

/**
 * A right code opens a session on the documents as they are; a member's confirms the address and
 * gives null.
 * Errors: those of `access.lock`; `otp_invalid` with `attempts_left`; `otp_locked` or
 * `address_code_locked`; `second_channel_required`.
 * Source: security lines 36 to 39.
 */
export function verifyCode(
  platform: Platform,
  request: CodeEntry,
): Promise<Result<GuestCookie | null>> {
  return inTransaction<Result<GuestCookie | null>>(platform.db, async (trx) => {
    const now = platform.clock();
    // Every try and every sending takes this lock, so that none escapes the counts.
    const access = await request.access.lock(trx, now);
    if (!access.ok) return access;
    const guest = access.value;
    const latest = guest.codes[0] ?? null;
    const ways = { link: guest.link, code: latest && channelOf(latest.ways) };
    if (latest !== null && !areTwoChannels(ways.link, ways.code))
      return failure(problem("second_channel_required"));
    const matches = isSameCode(platform, { guest, latest, code: request.code });
    const { entrance } = request.access;
    const verdict = checkCode({
      entrance,
      latest,
      matches,
      entranceWrongTries: guest.wrongTries,
      now,
    });
    if (verdict.kind === "frozen") return failure(verdict.problem);
    if (verdict.kind === "wrong") {
      const counted = latest && { id: latest.id, killedAt: verdict.kills ? now : null };
      const freezes = entrance === "link" && guest.wrongTries + 1 >= OTP_WRONG_TRIES_PER_LINK;
      const eventOf = (action: EventName): NewAuditEvent => ({
        envelopeId: guest.aggregate.envelope.id,
        action,
        actor: request.access.actor,
        detail: { recipient: guest.recipient.id },
      });
      await commit(trx, platform, {
        about: guest.aggregate,
        writes: [() => countWrongTry(trx, guest.holder, counted)],
        events: [eventOf("code_refused"), ...(freezes ? [eventOf("link_frozen")] : [])],
      });
      return failure(verdict.problem);
    }
    return success(
      await admit(trx, platform, { ...request, guest, latest: latest as StoredCode, ways }),
    );
  });
}

type Ways = { readonly link: Channel | null; readonly code: Channel | null };

type Admission = CodeEntry & {
  readonly guest: OpenedAccess;
  readonly latest: StoredCode;
  readonly ways: Ways;
};

async function admit(
  trx: Transaction,
  platform: Platform,
  { guest, latest, ways, access, client }: Admission,
): Promise<GuestCookie | null> {
  const { recipient, aggregate } = guest;
  const envelopeId = aggregate.envelope.id;
  const opened = {
    envelopeId,
    recipientId: recipient.id,
    documentsSha256: documentsDigest(aggregate.documents),
    codeId: latest.id,
  };
  const verified: NewAuditEvent = {
    envelopeId,
    action: "code_verified",
    actor: access.actor,
    detail: {
      recipient: recipient.id,
      code: latest.id,
      channel: ways.code,
      ...(ways.link === null ? {} : { link_channel: ways.link }),
    },
  };
  // Once confirmed, the browser shows the documents: a first look.
  const view =
    recipient.viewedAt === null && !("user" in access)
      ? decideView(platform, { envelopeId, recipient, client })
      : { writes: [], events: [] };
  const session = "user" in access ? null : openGuestSession(platform, opened);
  await commit(trx, platform, {
    about: aggregate,
    writes: [
      ...("user" in access ? [() => confirmAddressOf(trx, platform, access.user)] : []),
      markCodeUsed(latest.id, platform.clock()),
      arrivalOf(platform, { dedupeKey: codeKey(latest.id) }),
      session?.write ?? null,
      ...view.writes,
    ],
    events: [verified, ...view.events],
  });
  return session?.cookie ?? null;
}

/** Takes constant time, even without a hash. */
function isSameCode(
  platform: Platform,
  tried: {
    readonly guest: OpenedAccess;
    readonly latest: StoredCode | null;
    readonly code: string;
  },
): boolean {
  const id = tried.latest?.id ?? "none";
  const typed = hashCode(platform, { id, to: holderKey(tried.guest.holder), code: tried.code });
  const stored = tried.latest?.codeHmac ?? new Uint8Array(typed.length);
  return timingSafeEqual(typed, stored);
}

export type CodeWay = Pick<GuestEnvelope["otp"], "channel" | "failed">;

/** A code whose SMS could not leave went by email. */
export function wayOf(latest: StoredCode | undefined, now: Date): CodeWay {
  if (latest?.channel !== "sms") return { channel: "email", failed: null };
  if (!latest.ways.some(({ mailedInstead }) => mailedInstead))
    return { channel: "sms", failed: null };
  const isLive = latest.usedAt === null && latest.killedAt === null && latest.expiresAt > now;
  return { channel: "email", failed: isLive ? "sms" : null };
}
