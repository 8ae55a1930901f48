import type { Reader, Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { maskEmail, maskPhone } from "../accounts/public.ts";
import { appendEvents, type AuditActor, type NewAuditEvent } from "../journal/public.ts";
import { enqueueNotices, type MemberNotice, type Notice, pushesBeside } from "../notices/public.ts";
import type { DeadlineNews } from "./domain/deadlines.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";
import { reminderSlot } from "./domain/reminders.ts";
import { updateAsked } from "./recipient-store.ts";
import { mintRecipientTokens, recipientLink, tokenSha256 } from "./recipient-token.ts";
import { bringReminderForward } from "./deadline-store.ts";
import { type Owner, selectPushMembers } from "./store.ts";

/** One message to one recipient: `emailKey` says whose account it may be. */
type ToRecipient = { readonly emailKey: string; readonly notice: MemberNotice };

/**
 * Gives the push messages to those recipients who have an account and chose them, beside what they are sent anyway. `except` is the account
 * of whoever is told of the same event as the sender.
 */
export async function pushesToRecipients(
  reader: Reader,
  platform: Pick<Platform, "clock">,
  {
    told,
    except = null,
  }: { readonly told: readonly ToRecipient[]; readonly except?: string | null },
): Promise<readonly Notice[]> {
  const members = await selectPushMembers(
    reader,
    told.map(({ emailKey }) => emailKey),
  );
  const pairs = told.flatMap(({ emailKey, notice }) => {
    const member = members.get(emailKey);
    return member === undefined || member.id === except ? [] : [{ member, notice }];
  });
  return pushesBeside(reader, platform, pairs);
}

type Invitation = {
  readonly kind: "invitation" | "reminder" | "extended";
  /** Of another deadline: what it is to each of them (`deadlines.ts`), whose journal entry says who is told. */
  readonly news?: ReadonlyMap<string, DeadlineNews>;
  readonly envelope: Pick<
    Envelope,
    "id" | "title" | "message" | "deadlineAt" | "createdByName" | "remindEveryDays"
  >;
  readonly owner: Owner;
  readonly recipients: readonly EnvelopeRecipient[];
  /** By mail unless the sender asked for a text; those without a number are asked by mail. */
  readonly channel?: "email" | "sms";
  /** Who asks, for the journal. */
  readonly actor: AuditActor;
  /** Names this occasion: the same one asks once. */
  readonly occasion: string;
};

/**
 * Asks recipients to sign, each with a fresh link. The message waits in the outbox; earlier links keep working.
 * Whoever is asked passes by here: it is from this moment on that automatic reminders count.
 */
export async function inviteRecipients(
  trx: Transaction,
  platform: Platform,
  invitation: Invitation,
): Promise<void> {
  const { recipients } = invitation;
  const tokens = await mintRecipientTokens(
    trx,
    platform,
    recipients.map((recipient) => recipient.id),
  );
  const asked = recipients.map((recipient, index) => ({
    recipient,
    token: tokens[index] as string,
    phone: phoneOf(invitation, recipient),
    messageId: platform.newId(),
  }));
  const notices = asked.map((one) => noticeFor(platform, invitation, one));
  const pushes = await pushesToRecipients(trx, platform, {
    told: asked.map(({ recipient }, index) => ({
      emailKey: recipient.emailKey,
      notice: notices[index] as InvitationNotice,
    })),
  });
  await together([
    noteAsked(trx, platform.clock(), invitation),
    enqueueNotices(trx, platform, [...notices, ...pushes]),
    appendEvents(
      trx,
      platform,
      invitation.kind === "extended" ? [] : asked.map((one) => eventFor(invitation, one)),
    ),
  ]);
}

async function noteAsked(
  trx: Transaction,
  now: Date,
  { envelope, recipients }: Invitation,
): Promise<void> {
  const ids = recipients.map((recipient) => recipient.id);
  await updateAsked(trx, { ids, deadlineAt: envelope.deadlineAt, now });
  if (envelope.remindEveryDays === null || ids.length === 0) return;
  await bringReminderForward(trx, {
    envelopeId: envelope.id,
    at: reminderSlot(now, envelope.remindEveryDays),
  });
}

type InvitationNotice = Extract<Notice, { kind: Invitation["kind"] }>;
/** `messageId`: by it the journal's entry finds what became of the message. */
type Asked = {
  readonly recipient: EnvelopeRecipient;
  readonly token: string;
  readonly phone: string | null;
  readonly messageId: string;
};

function phoneOf(invitation: Invitation, recipient: EnvelopeRecipient): string | null {
  return invitation.channel === "sms" ? recipient.phoneNumber : null;
}

function noticeFor(
  platform: Platform,
  { envelope, owner, kind, occasion, news }: Invitation,
  { recipient, token, phone, messageId }: Asked,
): InvitationNotice {
  const content = {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    senderEmail: owner.email,
    role: recipient.role,
    deadlineAt: envelope.deadlineAt?.toISOString() ?? null,
    message: envelope.message,
    link: recipientLink(platform, envelope.id, token),
  };
  const common = {
    id: messageId,
    channel: phone === null ? "email" : "sms",
    dedupeKey: `${kind}:${recipient.id}:${occasion}`,
    to: {
      fullName: recipient.fullName,
      address: phone ?? recipient.email,
      ...(phone === null ? {} : { mailInstead: recipient.email }),
    },
    envelopeId: envelope.id,
    recipientId: recipient.id,
    senderId: owner.id,
    linkSha256: tokenSha256(token),
  } as const;
  if (kind !== "extended") return { ...common, kind, content };
  const { deadlineAt } = content;
  const own = news?.get(recipient.id);
  if (deadlineAt === null || own === undefined)
    throw new Error("Expected the new deadline, and what it is to this recipient");
  const knownDeadlineAt = own.knownDeadlineAt?.toISOString() ?? null;
  const fixed = knownDeadlineAt === null || knownDeadlineAt > deadlineAt;
  return {
    ...common,
    kind,
    content: { ...content, deadlineAt, reopened: own.reopened, fixed, knownDeadlineAt },
  };
}

function eventFor(
  { envelope, kind, actor }: Invitation,
  { recipient, phone, messageId }: Asked,
): NewAuditEvent {
  return {
    envelopeId: envelope.id,
    action: kind === "reminder" ? "recipient_reminded" : "recipient_invited",
    actor,
    detail: {
      recipient: recipient.id,
      message: messageId,
      channel: phone === null ? "email" : "sms",
      ...(kind === "reminder" && actor.kind === "system" ? { automatic: true } : {}),
    },
    personal: {
      full_name: recipient.fullName,
      ...(phone === null
        ? { email: recipient.email, destination: maskEmail(recipient.email) }
        : { phone_number: phone, destination: maskPhone(phone) }),
    },
  };
}
