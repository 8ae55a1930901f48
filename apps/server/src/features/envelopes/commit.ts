import { EVENTS, type EventMessage } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvents, type NewAuditEvent } from "../journal/public.ts";
import {
  enqueueNotices,
  type MemberNotice,
  type Notice,
  noticesForMember,
  selectUnreached,
  withdrawNotices,
} from "../notices/public.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import { type EventInContext, MESSAGES, namedBy } from "./event-messages.ts";
import { pushesToRecipients } from "./invite-recipients.ts";
import type { EnvelopeAggregate } from "./load-envelope.ts";
import { mintRecipientTokens, recipientLink, tokenSha256 } from "./recipient-token.ts";
import { selectOwner } from "./store.ts";

/** What a use case decided about an envelope whose lock it holds. */
export type Decided = {
  /** The envelope under its lock, with its recipients as the events leave them. */
  readonly aggregate: EnvelopeAggregate;
  readonly writes: readonly (() => Promise<unknown>)[];
  readonly events: readonly NewAuditEvent[];
  /** Sends no message: the person signed their own document, alone. */
  readonly tells?: "nobody" | undefined;
};

/** Writes the rows and events that a use case decided, and the messages that `EVENTS` gives for these events. */
export async function commit(
  trx: Transaction,
  platform: Platform,
  decided: Decided,
): Promise<void> {
  await together([
    ...decided.writes.map((write) => write()),
    appendEvents(trx, platform, decided.events),
    ...(decided.tells === "nobody" ? [] : [followEvents(trx, platform, decided)]),
  ]);
}

/**
 * Withdraws the messages that the events make pointless, then enqueues the message of the last event that has one: a completion replaces the message of the
 * last signature.
 */
export async function followEvents(
  trx: Transaction,
  platform: Platform,
  { aggregate, events }: Pick<Decided, "aggregate" | "events">,
): Promise<void> {
  const envelopeId = aggregate.envelope.id;
  for (const { action } of events) {
    const { withdraws } = EVENTS[action];
    if (withdraws !== undefined)
      await withdrawNotices(trx, platform, {
        envelopeId,
        ...(withdraws === "warnings" ? { only: withdraws } : {}),
      });
  }
  const event = events.findLast(({ action }) => EVENTS[action].message !== undefined);
  const message = event === undefined ? undefined : EVENTS[event.action].message;
  if (event === undefined || message === undefined) return;
  const owner = await selectOwner(trx, aggregate.envelope.ownerId);
  await write(trx, platform, {
    message,
    context: { aggregate, owner, event, events, now: platform.clock() },
  });
}

type Writing = { readonly message: EventMessage; readonly context: EventInContext };

/** Recipients are told by mail, whatever they chose for an account they may have; push messages come beside. */
async function write(
  trx: Transaction,
  platform: Platform,
  { message, context }: Writing,
): Promise<void> {
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
  const notices = (await noticesTo(trx, platform, { message, context, recipients })).map(
    (notice) => ({ ...notice, senderId: owner.id }),
  );
  const told = notices.map((notice, index) => ({
    emailKey: recipients[index]?.emailKey ?? "",
    notice,
  }));
  const pushes = await pushesToRecipients(trx, platform, { told, except: owner.id });
  const mails = recipients.map(({ id, fullName, email }, index) => {
    return {
      ...notices[index],
      channel: "email",
      to: { fullName, address: email },
      recipientId: id,
    } as Notice;
  });
  await enqueueNotices(trx, platform, [...own, ...mails, ...pushes]);
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
    case "everybody":
      return oncePerAddress(aggregate.recipients, owner.email);
    default: {
      const asked = await askedOf(trx, aggregate);
      if (message.toRecipients === "others") return asked.filter(({ id }) => id !== event.actor.id);
      return message.toRecipients === "unsigned"
        ? asked.filter(({ status }) => status !== "signed")
        : asked;
    }
  }
}

/** Those who had been asked, and whom a closed envelope concerns: of a request that never left nobody is told that it ended. */
async function askedOf(
  trx: Transaction,
  { envelope, recipients }: EnvelopeAggregate,
): Promise<readonly EnvelopeRecipient[]> {
  if (envelope.status !== "sent" && envelope.status !== "pending") return [];
  const unreached = await selectUnreached(trx, { envelopeIds: [envelope.id], waiting: "not-left" });
  return recipients.filter(
    ({ id, notifiedAt, viewedAt }) =>
      notifiedAt !== null && (viewedAt !== null || !unreached.has(id)),
  );
}

/** One address, one copy: the sender's own, and two people of one address. */
function oncePerAddress(
  recipients: readonly EnvelopeRecipient[],
  senderEmail: string,
): readonly EnvelopeRecipient[] {
  const told = new Set([senderEmail.toLowerCase()]);
  return recipients.filter(({ emailKey }) => !told.has(emailKey) && told.add(emailKey));
}

/** Gives each recipient's message, in their order. */
async function noticesTo(
  trx: Transaction,
  platform: Platform,
  { message, context, recipients }: Writing & { readonly recipients: readonly EnvelopeRecipient[] },
): Promise<readonly MemberNotice[]> {
  const { toRecipient, toGuest } = MESSAGES[message.kind];
  if (toRecipient !== undefined)
    return recipients.map((recipient) => toRecipient(context, recipient));
  if (toGuest === undefined) return [];
  const ids = recipients.map(({ id }) => id);
  const tokens = await mintRecipientTokens(trx, platform, ids);
  return recipients.map((recipient, index) => {
    const token = tokens[index] as string;
    const address = recipientLink(platform, context.aggregate.envelope.id, token);
    return toGuest(context, recipient, { address, sha256: tokenSha256(token) });
  });
}
