import { toHex } from "@paraphe/kernel/bytes";
import { EVENTS, type EventMessage } from "@paraphe/contracts";
import { actingSubject } from "@paraphe/kernel/french-words";
import type { Transaction } from "../../platform/database/database.ts";
import { writeTogether, type WriteStep } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { type StoredDocument, downloadName } from "../documents/public.ts";
import { type AuditActor, type NewAuditEvent, appendEvents } from "../journal/public.ts";
import {
  type MemberNotice,
  type Notice,
  noticesForMember,
  queueNotices,
  selectUnreached,
  withdrawNotices,
} from "../notices/public.ts";
import type { WarningDays } from "./domain/deadlines.ts";
import {
  type Delegate,
  type Envelope,
  type EnvelopeRecipient,
  hasAnswered,
  isAsking,
  PREPARATION,
} from "./domain/envelope.ts";
import type { Actor, EnvelopeCommand } from "./domain/viewer.ts";
import {
  drawTokens,
  insertTokens,
  pushesToRecipients,
  recipientLink,
  requestsToDelegates,
  tokenSha256,
} from "./invitations.ts";
import { queueWebhookEvents } from "./webhooks/store.ts";
import { type EnvelopeAggregate } from "./store.ts";
import { accountIn, type Owner, type People, peopleOf } from "./people-store.ts";

export type Decision = {
  /** Rows in the order written, before events and messages. */
  readonly writes: readonly WriteStep[];
  readonly events: readonly NewAuditEvent[];
  /** Messages with a secret of their own: invitations and codes. */
  readonly notices?: readonly Notice[];
};

type Commit = Decision & {
  /** The locked envelope, its recipients as the events leave them. */
  readonly about: EnvelopeAggregate;
};

/**
 * Writes a decision's rows, its events, and the messages that `EVENTS` derives from them. Writes
 * and events are sent before it returns.
 */
export async function commit(
  trx: Transaction,
  platform: Platform,
  { about, writes, events, notices = [] }: Commit,
): Promise<void> {
  const withdrawn = events.flatMap((event) => withdrawnBy(about, event));
  const made = await messagesOf(trx, platform, { about, events });
  const queued = queueNotices(trx, platform, [...notices, ...made.notices]);
  await writeTogether(trx, [
    ...writes,
    ...made.writes,
    appendEvents(platform, events),
    queueWebhookEvents(platform, { ownerId: about.envelope.ownerId, events }),
    // Earlier, so that they spare the new messages.
    ...withdrawn.map((which) => withdrawNotices(platform, which)),
    queued.write,
  ]);
  await queued.settle();
}

/** Serves a new draft, or a document its owner alone signs. */
export async function commitWithoutMessages(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "random">,
  { ownerId, writes, events }: Omit<Decision, "notices"> & { readonly ownerId: string | null },
): Promise<void> {
  await writeTogether(trx, [
    ...writes,
    appendEvents(platform, events),
    ownerId === null ? null : queueWebhookEvents(platform, { ownerId, events }),
  ]);
}

type Withdrawal = Parameters<typeof withdrawNotices>[1];

function withdrawnBy(
  { envelope: { id: envelopeId, deadlineAt } }: EnvelopeAggregate,
  { action, detail }: NewAuditEvent,
): readonly Withdrawal[] {
  const recipientId = String(detail?.["recipient"]);
  const { withdraws } = EVENTS[action];
  if (withdraws === undefined) return [];
  if (withdraws === "requests") return [{ envelopeId }];
  if (withdraws === "warnings") return [{ envelopeId, only: withdraws }];
  if (withdraws === "signer_deadlines")
    return deadlineAt === null ? [] : [{ envelopeId, recipientId, only: "deadlines" }];
  const hasNewAddress = detail?.["email"] === true;
  return [{ envelopeId, recipientId, ...(hasNewAddress ? {} : { only: "codes" as const }) }];
}

type Messages = { readonly notices: readonly Notice[]; readonly writes: readonly WriteStep[] };

/** Only the last event with a message sends: completion replaces the last signature's. */
async function messagesOf(
  trx: Transaction,
  platform: Platform,
  { about, events }: Pick<Commit, "about" | "events">,
): Promise<Messages> {
  const event = events.findLast(({ action }) => EVENTS[action].message !== undefined);
  const message = event === undefined ? undefined : EVENTS[event.action].message;
  if (event === undefined || message === undefined) return { notices: [], writes: [] };
  const now = platform.clock();
  const people = await peopleOf(trx, about, now);
  const aggregate = asAsked(about);
  const context = { aggregate, people, owner: people.owner, event, events, now };
  return writeMessages(trx, platform, { message, context });
}

function asAsked({ envelope, ...rest }: EnvelopeAggregate): EnvelopeAggregate {
  return { ...rest, envelope: { ...envelope, title: envelope.sentTitle } };
}

type Writing = { readonly message: EventMessage; readonly context: EventInContext };

async function writeMessages(
  trx: Transaction,
  platform: Platform,
  { message, context }: Writing,
): Promise<Messages> {
  const { toSender } = MESSAGES[message.kind];
  const { owner, aggregate } = context;
  const senderLink = `${platform.settings.publicUrl}/signature/detail/${aggregate.envelope.id}`;
  const own =
    message.toSender && toSender !== undefined
      ? await noticesForMember(trx, platform, {
          member: owner,
          notice: toSender(context, senderLink),
        })
      : [];
  const recipients = await audienceOf(trx, { message, context });
  const to = noticesTo(platform, { message, context, recipients });
  const notices = to.notices.map((notice) => ({ ...notice, senderId: owner.id }));
  const messages = notices.map((notice, index) => ({
    emailKey: recipients[index]?.emailKey ?? "",
    notice,
  }));
  const pushes = await pushesToRecipients(trx, platform, {
    messages,
    pushMembers: context.people.pushMembers,
    except: owner.id,
  });
  const mails = recipients.map(({ id, fullName, email }, index) => {
    return {
      ...notices[index],
      channel: "email",
      to: { fullName, address: email },
      recipientId: id,
    } as Notice;
  });
  const delegates =
    message.kind === "completed"
      ? copiesToDelegates(context, senderLink)
      : await requestsToDelegates(trx, platform, {
          envelope: aggregate.envelope,
          delegates: context.people.delegates,
          asked: recipients.map((recipient, index) => ({
            recipient,
            notice: notices[index] as MemberNotice,
          })),
        });
  return { notices: [...own, ...mails, ...delegates, ...pushes], writes: to.writes };
}

async function audienceOf(
  trx: Transaction,
  { message, context }: Writing,
): Promise<readonly EnvelopeRecipient[]> {
  const { aggregate, event, owner } = context;
  switch (message.toRecipients) {
    case undefined:
      return [];
    case "named":
      return namedBy(context);
    case "annulled":
      return annulledBy(context);
    case "everybody":
      return oncePerAddress(aggregate.recipients, owner.email);
    default: {
      const asked = await askedOf(trx, aggregate);
      // A refusal by a delegate is news to the recipient.
      if (message.toRecipients === "others")
        return event.detail?.["delegation"] === undefined
          ? asked.filter(({ id }) => id !== event.actor.id)
          : asked;
      return message.toRecipients === "unsigned"
        ? asked.filter(({ status }) => status !== "signed" && status !== "approved")
        : asked;
    }
  }
}

/** Recipients who were already asked, unless the message certainly did not leave. */
async function askedOf(
  trx: Transaction,
  { envelope, recipients }: EnvelopeAggregate,
): Promise<readonly EnvelopeRecipient[]> {
  if (!isAsking(envelope)) return [];
  const unreached = await selectUnreached(trx, { envelopeIds: [envelope.id], waiting: "not-left" });
  return recipients.filter(
    ({ id, notifiedAt, viewedAt }) =>
      notifiedAt !== null && (viewedAt !== null || !unreached.has(id)),
  );
}

function oncePerAddress(
  recipients: readonly EnvelopeRecipient[],
  senderEmail: string,
): readonly EnvelopeRecipient[] {
  const addressed = new Set([senderEmail.toLowerCase()]);
  return recipients.filter(({ emailKey }) => !addressed.has(emailKey) && addressed.add(emailKey));
}

/** Mails whoever agreed by delegation, once per address; their session opens the envelope. */
function copiesToDelegates(context: EventInContext, link: string): readonly Notice[] {
  const { envelope, recipients } = context.aggregate;
  const informed = new Set([
    context.owner.email.toLowerCase(),
    ...recipients.map(({ emailKey }) => emailKey),
  ]);
  return recipients.flatMap(({ id, delegate }): Notice[] => {
    const address = delegate?.email?.toLowerCase();
    if (!delegate?.email || address === undefined || informed.has(address)) return [];
    informed.add(address);
    return [
      {
        kind: "completed",
        channel: "email",
        dedupeKey: `completed:${envelope.id}:${delegate.user_id}`,
        to: { fullName: delegate.full_name, address: delegate.email },
        envelopeId: envelope.id,
        delegatorId: id,
        userId: delegate.user_id,
        senderId: context.owner.id,
        content: { ...completion(context), link },
      },
    ];
  });
}

/** Messages with links of their own are among the writes. */
function noticesTo(
  platform: Platform,
  { message, context, recipients }: Writing & { readonly recipients: readonly EnvelopeRecipient[] },
): { readonly notices: readonly MemberNotice[]; readonly writes: readonly WriteStep[] } {
  const { toRecipient, toGuest } = MESSAGES[message.kind];
  if (toRecipient !== undefined)
    return { notices: recipients.map((one) => toRecipient(context, one)), writes: [] };
  if (toGuest === undefined) return { notices: [], writes: [] };
  const ids = recipients.map(({ id }) => id);
  const tokens = drawTokens(platform, ids);
  const notices = recipients.map((recipient, index) => {
    const token = tokens[index]?.token as string;
    const address = recipientLink(platform, context.aggregate.envelope.id, token);
    return toGuest(context, recipient, { address, sha256: tokenSha256(token) });
  });
  return { notices, writes: [insertTokens(tokens, platform.clock())] };
}

type EventInContext = {
  readonly aggregate: EnvelopeAggregate;
  readonly owner: Owner;
  readonly people: People;
  readonly event: NewAuditEvent;
  readonly events: readonly NewAuditEvent[];
  readonly now: Date;
};
type GuestLink = { readonly address: string; readonly sha256: Uint8Array };
type Writer = {
  readonly toSender?: (context: EventInContext, link: string) => MemberNotice;
  readonly toRecipient?: (context: EventInContext, recipient: EnvelopeRecipient) => MemberNotice;
  /** Writes to a recipient, with a link that opens the envelope. */
  readonly toGuest?: (
    context: EventInContext,
    recipient: EnvelopeRecipient,
    link: GuestLink,
  ) => MemberNotice;
};

/** A message goes once per `dedupeKey`: its event, and its occasion where it may recur. */
const MESSAGES: Readonly<Record<EventMessage["kind"], Writer>> = {
  signed: {
    toSender: ({ aggregate: { envelope, recipients }, event }, link) => {
      const signer = recipients.find(
        ({ id }) => id === event.detail?.["recipient"],
      ) as EnvelopeRecipient;
      return {
        kind: "signed",
        // A recipient signs again once the document was sent back.
        dedupeKey: `signed:${signer.id}:${(signer.signedAt as Date).toISOString()}`,
        envelopeId: envelope.id,
        content: {
          envelopeTitle: envelope.title,
          signerName: actingSubject(signer.fullName, signer.delegate?.full_name),
          signedAt: (signer.signedAt as Date).toISOString(),
          signedCount: Number(event.detail?.["signed"]),
          signerCount: envelope.signerCount,
          link,
        },
      };
    },
  },
  returned: {
    toSender: (context, link) => ({
      kind: "returned",
      dedupeKey: `returned:${context.aggregate.envelope.id}:${context.now.toISOString()}`,
      envelopeId: context.aggregate.envelope.id,
      content: { ...returnIn(context), link },
    }),
    toRecipient: (context, { id, role }) => ({
      kind: "returned",
      dedupeKey: `returned:${id}:${context.now.toISOString()}`,
      envelopeId: context.aggregate.envelope.id,
      content: {
        ...returnIn(context),
        annulled: { role, senderName: context.aggregate.envelope.senderName },
        link: null,
      },
    }),
  },
  late: {
    toSender: (context, link) => ({
      kind: "late",
      dedupeKey: `late:${context.aggregate.envelope.id}:${context.now.toISOString()}`,
      envelopeId: context.aggregate.envelope.id,
      content: {
        envelopeTitle: context.aggregate.envelope.title,
        names: namedBy(context).map(({ fullName }) => fullName),
        link,
      },
    }),
  },
  completed: {
    toSender: (context, link) => ({
      kind: "completed",
      dedupeKey: `completed:${context.aggregate.envelope.id}:owner`,
      envelopeId: context.aggregate.envelope.id,
      content: { ...completion(context), link },
    }),
    toGuest: (context, recipient, link) => ({
      kind: "completed",
      dedupeKey: `completed:${context.aggregate.envelope.id}:${recipient.id}`,
      envelopeId: context.aggregate.envelope.id,
      linkSha256: link.sha256,
      content: { ...completion(context), link: link.address },
    }),
  },
  declined: {
    toSender: (context, link) => ({
      kind: "declined",
      dedupeKey: `declined:${context.aggregate.envelope.id}:owner`,
      envelopeId: context.aggregate.envelope.id,
      content: { ...refusal(context), reason: String(context.event.personal?.["reason"]), link },
    }),
    toRecipient: (context, recipient) => ({
      kind: "declined",
      dedupeKey: `declined:${context.aggregate.envelope.id}:${recipient.id}`,
      envelopeId: context.aggregate.envelope.id,
      content: { ...refusal(context), reason: null, link: null },
    }),
  },
  cancelled: {
    toRecipient: ({ aggregate: { envelope }, owner, events }, recipient) => ({
      kind: "cancelled",
      dedupeKey: `cancelled:${recipient.id}:${envelope.version}`,
      envelopeId: envelope.id,
      content: {
        envelopeTitle: envelope.title,
        senderName: envelope.senderName,
        senderEmail: owner.email,
        role: recipient.role,
        ...(events.some(
          ({ action, detail }) =>
            action === "consent_void" && detail?.["recipient"] === recipient.id,
        )
          ? { consentVoid: true }
          : {}),
      },
    }),
  },
  expired: {
    toSender: (context, link) => {
      const { id, version } = context.aggregate.envelope;
      return {
        kind: "expired",
        dedupeKey: `expired:${id}:owner:${version}`,
        envelopeId: id,
        content: { ...expiry(context), link },
      };
    },
    toRecipient: (context, recipient) => {
      const { id, version } = context.aggregate.envelope;
      const content = { ...expiry(context), link: null };
      return {
        kind: "expired",
        dedupeKey: `expired:${recipient.id}:${version}`,
        envelopeId: id,
        content,
      };
    },
  },
  expiring: {
    toSender: (context, link) => {
      const { id } = context.aggregate.envelope;
      const waitingFor = namedBy(context).map(({ fullName }) => fullName);
      const content = { ...warning(context), role: "signer" as const, waitingFor, link };
      return {
        kind: "expiring",
        dedupeKey: `expiring:${id}:owner:${occasionOf(context)}`,
        envelopeId: id,
        content,
      };
    },
    toGuest: (context, recipient, link) => {
      const content = {
        ...warning(context),
        role: recipient.role,
        waitingFor: null,
        ...accountIn(context.people, recipient),
        link: link.address,
      };
      const dedupeKey = `expiring:${recipient.id}:${occasionOf(context)}`;
      return {
        kind: "expiring",
        dedupeKey,
        envelopeId: context.aggregate.envelope.id,
        linkSha256: link.sha256,
        content,
      };
    },
  },
  extension_requested: {
    toSender: ({ aggregate: { envelope, recipients }, event, now }, link) => ({
      kind: "extension_requested",
      dedupeKey: `extension_requested:${envelope.id}:${now.toISOString()}`,
      envelopeId: envelope.id,
      content: {
        envelopeTitle: envelope.title,
        recipientName:
          recipients.find(({ id }) => id === event.detail?.["recipient"])?.fullName ?? "",
        deadlineAt: (envelope.deadlineAt ?? now).toISOString(),
        link,
      },
    }),
  },
};

function namedBy({
  aggregate,
  event,
}: Pick<EventInContext, "aggregate" | "event">): readonly EnvelopeRecipient[] {
  const named = event.detail?.["recipients"];
  return aggregate.recipients.filter(({ id }) => Array.isArray(named) && named.includes(id));
}

function annulledBy({ aggregate, event, owner }: EventInContext): readonly EnvelopeRecipient[] {
  const { reset, order } = event.detail ?? {};
  return aggregate.recipients.filter(
    (one) =>
      Array.isArray(reset) &&
      reset.includes(one.id) &&
      hasAnswered(one) &&
      one.order !== order &&
      one.emailKey !== owner.email.toLowerCase(),
  );
}

function returnIn({ aggregate: { envelope, recipients }, event }: EventInContext) {
  return {
    envelopeTitle: envelope.title,
    recipientName: actingSubject(
      recipients.find(({ id }) => id === event.detail?.["recipient"])?.fullName ?? "",
      event.personal?.["delegate_name"]?.toString(),
    ),
    reason: String(event.personal?.["reason"]),
    toCorrect: event.detail?.["order"] === PREPARATION,
  };
}

function completion({ aggregate: { envelope, documents }, now }: EventInContext) {
  return {
    envelopeTitle: envelope.title,
    senderName: envelope.senderName,
    completedAt: now.toISOString(),
    proofLink: null,
    attachments: attachmentsOf(envelope, documents),
  };
}

function attachmentsOf(
  envelope: Envelope,
  documents: readonly StoredDocument[],
): { name: string; sha256: string; sizeBytes: number }[] {
  return documents.map((document) => ({
    name: downloadName({
      title: documents.length === 1 ? envelope.title : document.name.replace(/\.pdf$/i, ""),
      signed: true,
      ending: "pdf",
    }),
    sha256: toHex(document.current.sha256),
    sizeBytes: document.current.sizeBytes,
  }));
}

function refusal({ aggregate: { envelope, recipients }, event }: EventInContext) {
  const { detail, personal, actor } = event;
  const id = detail?.["recipient"] ?? actor.id;
  const person = recipients.find((one) => one.id === id);
  const delegate = personal?.["delegate_name"]?.toString();
  const recipientName = actingSubject(person?.fullName ?? actor.name ?? "", delegate);
  return {
    envelopeTitle: envelope.title,
    recipientName,
    role: person?.role ?? ("signer" as const),
  };
}

function expiry({ aggregate: { envelope }, now }: EventInContext) {
  return {
    envelopeTitle: envelope.title,
    senderName: envelope.senderName,
    deadlineAt: (envelope.deadlineAt ?? now).toISOString(),
  };
}

function warning(context: EventInContext) {
  return {
    ...expiry(context),
    senderEmail: context.owner.email,
    daysLeft: context.event.detail?.["days"] as WarningDays,
  };
}

function occasionOf(context: EventInContext): string {
  return `${String(context.event.detail?.["days"])}:${expiry(context).deadlineAt}`;
}

export function auditActor({ user, client }: Actor): AuditActor {
  return {
    kind: "user",
    id: user.id,
    name: user.full_name,
    ...(user.program === undefined ? {} : { program: user.program }),
    ip: client.ip,
    userAgent: client.userAgent,
  };
}

/** The name of who acts, and what an event says of a delegation. */
export function actingFacts(
  { id, fullName }: Pick<EnvelopeRecipient, "id" | "fullName">,
  delegate: Delegate | undefined,
) {
  return delegate === undefined
    ? { name: fullName }
    : {
        name: delegate.full_name,
        detail: { delegation: delegate.delegation_id, recipient: id },
        personal: { delegate_name: delegate.full_name },
      };
}

export function publicPageEvent({
  envelopeId,
  actor,
  proofOnly,
}: EnvelopeCommand & { readonly proofOnly: boolean }): NewAuditEvent {
  return {
    envelopeId,
    action: "public_page_changed",
    actor: auditActor(actor),
    detail: { proof_only: proofOnly },
  };
}
