import { createHash } from "node:crypto";
import { type Problem, problem, maskEmail, maskPhone } from "@paraphe/contracts";
import { toBase64Url } from "@paraphe/kernel/bytes";
import { formatTime } from "@paraphe/kernel/french-dates";
import { onBehalf } from "@paraphe/kernel/french-words";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Write, WriteStep } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AuditActor,
  formerName,
  type NewAuditEvent,
  selectStepChanges,
  type StepChange,
} from "../journal/public.ts";
import {
  type MemberNotice,
  type Notice,
  noticesForMember,
  pushesBeside,
  selectLinkGiven,
} from "../notices/public.ts";
import type { DeadlineNews } from "./domain/deadlines.ts";
import {
  type Envelope,
  type EnvelopeRecipient,
  PREPARATION,
  stepTerms,
} from "./domain/envelope.ts";
import { delegationsOf } from "./domain/viewer.ts";
import { nextReminder } from "./domain/reminders.ts";
import { insertTokenRows, selectReassigned, updateAsked } from "./recipient-store.ts";
import {
  bringReminderForward,
  type EnvelopeAggregate,
  type Facts,
  selectEnvelopeByToken,
} from "./store.ts";
import { accountIn, type People, peopleOf } from "./people-store.ts";

const TOKEN_BYTES = 32;

/** 256 random bits, base64url; stored as SHA-256. */
type LinkToken = { readonly recipientId: string; readonly token: string };

/** Of a link in somebody else's page, whose cookies must be partitioned. */
export const EMBEDDED = "emb_";

export function drawTokens(
  platform: Pick<Platform, "random">,
  recipientIds: readonly string[],
  prefix: typeof EMBEDDED | "" = "",
): readonly LinkToken[] {
  return recipientIds.map((recipientId) => ({
    recipientId,
    token: prefix + toBase64Url(platform.random(TOKEN_BYTES)),
  }));
}

export function insertTokens(tokens: readonly LinkToken[], now: Date): Write | null {
  const rows = tokens.map(({ recipientId, token }) => ({
    recipientId,
    sha256: tokenSha256(token),
  }));
  return insertTokenRows(rows, now);
}

/** Uses the configured origin: a Host header could lead elsewhere. */
export function recipientLink(
  platform: Pick<Platform, "settings">,
  envelopeId: string,
  token: string,
): string {
  return `${platform.settings.publicUrl}/sign/${envelopeId}?token=${token}`;
}

export function tokenSha256(token: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(token).digest());
}

const TOKEN_FORM = /^(emb_)?[A-Za-z0-9_-]{43}$/;

type RecognisedRecipient = {
  readonly recipient: EnvelopeRecipient;
  readonly aggregate: EnvelopeAggregate;
};

/** Finds a recipient in any state of the envelope, with `facts` about them. */
export async function findRecipientByToken<F>(
  reader: Reader,
  { envelopeId, token, facts }: LinkToFind<F>,
): Promise<(RecognisedRecipient & { readonly facts: F }) | null> {
  if (!TOKEN_FORM.test(token)) return null;
  const found = await selectEnvelopeByToken(reader, {
    id: envelopeId,
    tokenSha256: tokenSha256(token),
    facts,
  });
  const recipient = found?.aggregate.recipients.find(
    (candidate) => candidate.id === found.recipientId,
  );
  return found === null || recipient === undefined
    ? null
    : { recipient, aggregate: found.aggregate, facts: found.facts };
}

/** Gives the refusal of a link whose step went to somebody else; null for another. */
export async function formerLinkRefusal(
  reader: Reader,
  { envelopeId, token }: { readonly envelopeId: string; readonly token: string },
): Promise<Problem | null> {
  if (!TOKEN_FORM.test(token)) return null;
  const link = { envelopeId, sha256: tokenSha256(token) };
  const given = await selectReassigned(reader, link);
  if (given !== null) return stepReassigned(given);
  return (await selectLinkGiven(reader, link))
    ? problem("not_found", { extensions: { withdrawn: true } })
    : null;
}

export function stepReassigned({
  fullName,
  reassignedAt,
}: Pick<EnvelopeRecipient, "fullName" | "reassignedAt">): Problem {
  const time = reassignedAt === null ? "" : formatTime(reassignedAt);
  return problem("step_reassigned", { params: { name: fullName, time } });
}

type LinkToFind<F> = {
  readonly envelopeId: string;
  readonly token: string;
  readonly facts: Facts<F>;
};

type Corrected = {
  readonly by: string | null;
  readonly reason: string;
  readonly annulled?: "visa" | "signature";
};

/**
 * For whoever sent the document back to its sender last, or whose answer that annulled. `by`: null
 * for its present holder.
 */
export function correctedFor(
  { id }: Pick<EnvelopeRecipient, "id">,
  changes: readonly StepChange[],
): Corrected | undefined {
  const last = changes.find(({ action }) => action === "step_sent_back");
  if (last === undefined || last.order !== PREPARATION || last.reason === null) return undefined;
  const { reason } = last;
  const former = formerName(changes, id, last.sequence) ?? null;
  if (last.recipient !== id) {
    const annulled = last.visas.includes(id) ? "visa" : "signature";
    const isOwn = former === null && [...last.visas, ...last.annulled].includes(id);
    return isOwn ? { by: null, reason, annulled } : undefined;
  }
  const by =
    last.delegate === null
      ? former
      : former === null
        ? last.delegate
        : onBehalf(last.delegate, former);
  return { by, reason };
}

type ToRecipient = { readonly emailKey: string; readonly notice: MemberNotice };

/**
 * Pushes to recipients whose account chose push messages. `except`: the sender, who gets another
 * message.
 */
export async function pushesToRecipients(
  reader: Reader,
  platform: Pick<Platform, "clock">,
  {
    messages,
    pushMembers,
    except = null,
  }: Pick<People, "pushMembers"> & {
    readonly messages: readonly ToRecipient[];
    readonly except?: string | null;
  },
): Promise<readonly Notice[]> {
  const pairs = messages.flatMap(({ emailKey, notice }) => {
    const member = pushMembers.get(emailKey);
    return member === undefined || member.id === except ? [] : [{ member, notice }];
  });
  return pushesBeside(reader, platform, pairs);
}

type ToDelegates = Pick<People, "delegates"> & {
  readonly envelope: Pick<Envelope, "id" | "circuit">;
  readonly asked: readonly {
    readonly recipient: EnvelopeRecipient;
    readonly notice: MemberNotice;
  }[];
};

/** Informs who may answer now for a recipient who is asked; their session opens the document. */
export async function requestsToDelegates(
  reader: Reader,
  platform: Pick<Platform, "settings" | "clock">,
  { envelope, delegates, asked }: ToDelegates,
): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  const link = `${platform.settings.publicUrl}/signature/sign/${envelope.id}`;
  for (const {
    recipient,
    notice: { id: _asking, ...notice },
  } of asked) {
    if (!("role" in notice.content) || notice.content.role === "viewer") continue;
    const acting = delegates.filter(
      ({ delegation }) =>
        delegationsOf({ envelope, recipient }, { delegations: [delegation] }).length > 0,
    );
    const once = new Map(acting.map((one) => [one.member.id, one]));
    for (const { member, delegation } of once.values()) {
      const behalf = { name: recipient.fullName, until: delegation.endsOn };
      const content: object = { ...notice.content, link, behalf };
      const own = {
        ...notice,
        recipientId: null,
        delegatorId: recipient.id,
        linkSha256: null,
        dedupeKey: `${notice.dedupeKey}:${delegation.id}`,
        content,
      } as MemberNotice;
      notices.push(...(await noticesForMember(reader, platform, { member, notice: own })));
    }
  }
  return notices;
}

type Invitation = {
  readonly kind: "invitation" | "reminder" | "extended";
  readonly news?: ReadonlyMap<string, DeadlineNews>;
  readonly envelope: Pick<
    Envelope,
    | "id"
    | "ownerId"
    | "team"
    | "title"
    | "message"
    | "deadlineAt"
    | "senderName"
    | "remindEveryDays"
    | "circuit"
  >;
  readonly people?: People | undefined;
  readonly isReturned?: true;
  readonly isMarked?: true;
  readonly recipients: readonly EnvelopeRecipient[];
  /** Without a number, email is used. */
  readonly channel?: "email" | "sms";
  readonly actor: AuditActor;
  /** An occasion asks each recipient once. */
  readonly occasion: string;
};

type Invitations = {
  readonly writes: readonly WriteStep[];
  readonly events: readonly NewAuditEvent[];
  readonly notices: readonly Notice[];
};

/**
 * Gives each a fresh link. Every request to sign comes from here, so automatic reminders count from
 * it.
 */
export async function prepareInvitations(
  trx: Transaction,
  platform: Platform,
  invitation: Invitation,
): Promise<Invitations> {
  const { recipients, envelope } = invitation;
  if (recipients.length === 0) return { writes: [], events: [], notices: [] };
  const now = platform.clock();
  const people = await peopleOf(trx, invitation, now);
  const { pushMembers, delegates } = people;
  const ids = recipients.map(({ id }) => id);
  const tokens = drawTokens(platform, ids);
  const asked = recipients.map((recipient, index) => ({
    recipient,
    token: tokens[index]?.token as string,
    phone: phoneOf(invitation, recipient),
    messageId: platform.newId(),
  }));
  // Whoever was asked before may have answered a version that was sent back.
  const changes = recipients.some(({ notifiedAt }) => notifiedAt !== null)
    ? await selectStepChanges(trx, envelope.id)
    : [];
  const notices = asked.map((one) => noticeFor(platform, { ...invitation, people, changes }, one));
  const pushes = await pushesToRecipients(trx, platform, {
    messages: asked.map(({ recipient: { emailKey } }, index) => ({
      emailKey,
      notice: notices[index] as InvitationNotice,
    })),
    pushMembers,
  });
  const toDelegates = await requestsToDelegates(trx, platform, {
    envelope,
    delegates,
    asked: recipients.map((recipient, index) => ({
      recipient,
      notice: notices[index] as InvitationNotice,
    })),
  });
  const { deadlineAt, id: envelopeId } = envelope;
  const slots = asked.flatMap(({ recipient }) => {
    return nextReminder(envelope, askedAt(recipient, now), now)?.getTime() ?? [];
  });
  const at = slots.length === 0 ? null : new Date(Math.min(...slots));
  return {
    writes: [
      insertTokens(tokens, now),
      invitation.isMarked ? null : updateAsked({ ids, deadlineAt, now }),
      ...(at === null ? [] : [() => bringReminderForward(trx, { envelopeId, at })]),
    ],
    // An extension's event is `deadline_announced`.
    events: invitation.kind === "extended" ? [] : asked.map((one) => eventFor(invitation, one)),
    notices: [...notices, ...toDelegates, ...pushes],
  };
}

function askedAt(recipient: EnvelopeRecipient, now: Date): EnvelopeRecipient {
  return recipient.status === "waiting"
    ? { ...recipient, status: "notified", notifiedAt: now }
    : recipient;
}

type InvitationNotice = Extract<Notice, { kind: Invitation["kind"] }>;
/** `messageId` links the event to its delivery. */
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
  {
    envelope,
    people,
    kind,
    occasion,
    news,
    isReturned,
    changes,
  }: Invitation & { readonly people: People; readonly changes: readonly StepChange[] },
  { recipient, token, phone, messageId }: Asked,
): InvitationNotice {
  const corrected = isReturned ? undefined : correctedFor(recipient, changes);
  const dueDay = stepTerms(envelope, askedAt(recipient, platform.clock()))?.dueDay ?? null;
  const content = {
    envelopeTitle: envelope.title,
    senderName: envelope.senderName,
    senderEmail: people.owner.email,
    ...(envelope.team === null ? {} : { senderTeam: envelope.team.name }),
    role: recipient.role,
    deadlineAt: envelope.deadlineAt?.toISOString() ?? null,
    ...(dueDay === null ? {} : { dueDay }),
    message: envelope.message,
    ...(isReturned ? { returned: isReturned } : {}),
    ...(corrected === undefined ? {} : { corrected }),
    ...accountIn(people, recipient),
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
    senderId: people.owner.id,
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
