import { failure, problem, type Result, success } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, SYSTEM_ACTOR } from "../journal/public.ts";
import { takeBackDeadlines, withdrawNotices } from "../notices/public.ts";
import { auditActor, changeEnvelope } from "./change-envelope.ts";
import {
  markReopened,
  restoreKnown,
  selectAnnouncement,
  selectDeadlineNews,
  selectExtensionRequestedAt,
  selectNearDeadline,
  selectWarnedDays,
  updateAnnouncement,
  updateExtensionRequested,
  updateWarned,
} from "./deadline-store.ts";
import {
  announcedAt,
  type DeadlineNews,
  decideDeadline,
  decideExtension,
  decideExtensionRequest,
  decideWarning,
  isNews,
  warnedBy,
  type WarningDays,
} from "./domain/deadlines.ts";
import type { Envelope, EnvelopeRecipient } from "./domain/envelope.ts";
import { outcomeOf } from "./domain/transitions.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { forEachDue } from "./for-each-due.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { limitAction } from "./limit-actions.ts";
import { type EnvelopeAggregate, lockEnvelope } from "./load-envelope.ts";
import { ownerLink, tellPeople } from "./notify-people.ts";
import { updateAsked, updateAwaited } from "./recipient-store.ts";
import { mintRecipientTokens, recipientLink, tokenSha256 } from "./recipient-token.ts";
import { planRemindersAnew } from "./reminders.ts";
import { selectOwner, selectWaitingActs, updateEnvelopeRow } from "./store.ts";

type Expiring = { readonly envelope: Envelope; readonly awaited: readonly EnvelopeRecipient[]; readonly days: WarningDays };

/** Tells those whose signature is awaited that the deadline is near, each with a fresh link; and the sender, for whom it waits. */
async function notifyExpiring(trx: Transaction, platform: Platform, { envelope, awaited, days }: Expiring): Promise<void> {
  const owner = await selectOwner(trx, envelope.ownerId);
  const deadlineAt = (envelope.deadlineAt ?? platform.clock()).toISOString();
  const common = { kind: "expiring", envelopeId: envelope.id } as const;
  const occasion = `${days}:${deadlineAt}`;
  const content = {
    envelopeTitle: envelope.title,
    senderName: envelope.createdByName,
    senderEmail: owner.email,
    deadlineAt,
    daysLeft: days,
  };
  const ids = awaited.map((recipient) => recipient.id);
  const tokens = await mintRecipientTokens(trx, platform, ids);
  await updateAsked(trx, { ids, deadlineAt: envelope.deadlineAt, now: platform.clock() });
  await tellPeople(trx, platform, {
    owner,
    toOwner: {
      ...common,
      dedupeKey: `expiring:${envelope.id}:owner:${occasion}`,
      content: {
        ...content,
        role: "signer",
        waitingFor: awaited.map((recipient) => recipient.fullName),
        link: ownerLink(platform, envelope.id),
      },
    },
    toRecipients: awaited.map((recipient, index) => ({
      recipient,
      notice: {
        ...common,
        dedupeKey: `expiring:${recipient.id}:${occasion}`,
        linkSha256: tokenSha256(tokens[index] as string),
        content: {
          ...content,
          role: recipient.role,
          waitingFor: null,
          link: recipientLink(platform, envelope.id, tokens[index] as string),
        },
      },
    })),
  });
}

export const ANNOUNCE_DEADLINE_JOB = "envelopes.announce-deadline";
const payloadSchema = z.strictObject({ envelope_id: z.uuid(), announcement: z.uuid() });

/**
 * Has those awaited told of an envelope's deadline, in the transaction that changes it: a moment later, and of the last one alone. What an earlier change
 * had to say and has not said yet is not said any more.
 */
async function announceDeadline(
  trx: Transaction,
  platform: Platform,
  { envelopeId, deadlineAt }: { readonly envelopeId: string; readonly deadlineAt: Date | null },
): Promise<void> {
  await restoreKnown(trx, await takeBackDeadlines(trx, platform, envelopeId));
  const startAfter = announcedAt(deadlineAt, platform.clock());
  const announcement = startAfter === null ? null : platform.newId();
  await updateAnnouncement(trx, { envelopeId, announcement });
  if (startAfter === null) {
    await tellDeadline(trx, platform, await lockEnvelope(trx, envelopeId));
    return;
  }
  const payload = { envelope_id: envelopeId, announcement };
  await platform.queue.enqueue(trx, ANNOUNCE_DEADLINE_JOB, payload, { startAfter });
}

/** Tells a deadline that has not moved since this job was asked for; of another, the later job's turn comes. May run twice. */
export async function runAnnouncement(platform: Platform, payload: unknown): Promise<void> {
  const { envelope_id: envelopeId, announcement } = payloadSchema.parse(payload);
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if ((await selectAnnouncement(trx, envelopeId)) !== announcement) return;
    await updateAnnouncement(trx, { envelopeId, announcement: null });
    await tellDeadline(trx, platform, aggregate);
  });
}

/**
 * Tells an open envelope's deadline to those awaited who have not heard of it, in words that fit the one each was told last, and notes whom in the journal.
 * Nobody is told what they know, nor that there is none any more; whose link had stopped working is reminded then.
 */
async function tellDeadline(trx: Transaction, platform: Platform, aggregate: EnvelopeAggregate | null): Promise<void> {
  if (aggregate === null) return;
  const { envelope } = aggregate;
  const { deadlineAt } = envelope;
  if (!outcomeOf(envelope.status, "remind").ok || (deadlineAt !== null && deadlineAt <= platform.clock())) return;
  const { recipients, news } = await uninformed(trx, aggregate);
  if (recipients.length === 0) return;
  const asked = { envelope, owner: await selectOwner(trx, envelope.ownerId), recipients, actor: SYSTEM_ACTOR };
  if (deadlineAt === null) {
    await inviteRecipients(trx, platform, { ...asked, kind: "reminder", occasion: `reopened:${envelope.version}` });
    return;
  }
  const occasion = `${deadlineAt.toISOString()}:${envelope.version}`;
  await inviteRecipients(trx, platform, { ...asked, kind: "extended", news, occasion });
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "deadline_announced",
    actor: SYSTEM_ACTOR,
    detail: { deadline: deadlineAt.toISOString(), recipients: recipients.map(({ id }) => id) },
  });
}

type Uninformed = { readonly recipients: readonly EnvelopeRecipient[]; readonly news: ReadonlyMap<string, DeadlineNews> };

/** Those awaited who have something to hear; who has agreed has nothing left to do. */
async function uninformed(trx: Transaction, { envelope, recipients }: EnvelopeAggregate): Promise<Uninformed> {
  const { deadlineAt } = envelope;
  const consenting = new Set((await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId));
  const news = await selectDeadlineNews(trx, envelope.id);
  const hasNews = ({ id }: EnvelopeRecipient) => {
    const known = news.get(id);
    return known !== undefined && (deadlineAt === null ? known.reopened : isNews(known, deadlineAt));
  };
  return { recipients: recipients.filter((one) => one.awaited && !consenting.has(one.id) && hasNews(one)), news };
}

/** `deadlineAt` null: no deadline any more. */
type NewDeadline = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Sets, moves or removes the deadline of an envelope that waits for signatures. Those awaited are told of a new one, a moment later and of the last
 * one alone; that there is none any more asks nothing of them.
 * Errors: `not_found`, `not_allowed`, those of `decideDeadline`, `too_many_requests`.
 */
export async function changeDeadline(platform: Platform, command: NewDeadline): Promise<Result<EnvelopeAggregate>> {
  const { deadlineAt } = command;
  return changeEnvelope(platform, { command, action: "adjust" }, async (trx, { envelope, recipients }) => {
    const now = platform.clock();
    const decision = decideDeadline(envelope, { deadlineAt, now });
    if (!decision.ok || decision.value === "same") return decision;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "extend", id: envelope.id });
    if (!limited.ok) return limited;
    const changed = { ...envelope, deadlineAt };
    const consenting = new Set((await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId));
    await updateEnvelopeRow(trx, { id: envelope.id, now, deadline_at: deadlineAt });
    await withdrawNotices(trx, platform, { envelopeId: envelope.id, only: "warnings" });
    await planRemindersAnew(trx, { envelope: changed, recipients, consenting, now });
    const detail = { from: envelope.deadlineAt?.toISOString() ?? null, to: deadlineAt?.toISOString() ?? null };
    await appendEvent(trx, platform, { envelopeId: envelope.id, action: "deadline_changed", actor: auditActor(command.actor), detail });
    // The message that tells the new deadline is the warning of one that is near.
    if (deadlineAt !== null) await updateWarned(trx, { envelopeId: envelope.id, days: warnedBy(deadlineAt, now) });
    await announceDeadline(trx, platform, { envelopeId: envelope.id, deadlineAt });
    return success(null);
  });
}

/** `deadlineAt` null: a week more. */
type DeadlineExtension = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Puts off the deadline of an open envelope, or opens one again that had expired: its links work again. Those awaited are told.
 * Errors: `not_found`, `not_allowed`, those of `decideExtension`, `too_many_requests`.
 */
export async function extendDeadline(platform: Platform, command: DeadlineExtension): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(platform, { command, action: "extend" }, async (trx, { envelope, recipients }) => {
    const now = platform.clock();
    const decision = decideExtension({ envelope, recipients }, { deadlineAt: command.deadlineAt, now });
    if (!decision.ok) return decision;
    const limited = await limitAction({ ...platform, db: trx }, { kind: "extend", id: envelope.id });
    if (!limited.ok) return limited;
    const { deadlineAt, status, awaited, reopened } = decision.value;
    await updateEnvelopeRow(trx, { id: envelope.id, now, status, deadline_at: deadlineAt, extension_requested_at: null });
    await withdrawNotices(trx, platform, { envelopeId: envelope.id, only: "warnings" });
    // The message that tells the new deadline is the warning of one that is near.
    await updateWarned(trx, { envelopeId: envelope.id, days: warnedBy(deadlineAt, now) });
    await updateAwaited(trx, { envelopeId: envelope.id, awaited, invited: awaited, now });
    if (reopened) await markReopened(trx, awaited);
    await appendEvent(trx, platform, {
      envelopeId: envelope.id,
      action: "deadline_extended",
      actor: auditActor(command.actor),
      detail: { from: envelope.deadlineAt?.toISOString() ?? null, to: deadlineAt.toISOString(), reopened },
    });
    await announceDeadline(trx, platform, { envelopeId: envelope.id, deadlineAt });
    return success(null);
  });
}

/** Warns of every deadline that is two days, then one day, away; each envelope in a transaction of its own. Gives how many. */
export async function warnDeadlines(platform: Platform): Promise<number> {
  return forEachDue(platform, {
    what: "the warning of a deadline",
    select: (window) => selectNearDeadline(platform.db, { now: platform.clock(), ...window }),
    run: (id) => warnDeadline(platform, id),
  });
}

/** Warns those whose signature is awaited, and the sender, that the deadline is near; gives false when nothing was due. May run twice. */
async function warnDeadline(platform: Platform, envelopeId: string): Promise<boolean> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null) return false;
    const days = decideWarning({ ...aggregate.envelope, warnedDays: await selectWarnedDays(trx, envelopeId) }, platform.clock());
    if (days === null) return false;
    await updateWarned(trx, { envelopeId, days });
    await tell(trx, platform, { aggregate, days });
    return true;
  });
}

async function tell(
  trx: Transaction,
  platform: Platform,
  { aggregate, days }: { readonly aggregate: EnvelopeAggregate; readonly days: WarningDays },
): Promise<void> {
  const { envelope, recipients } = aggregate;
  const acts = await selectWaitingActs(trx, envelope.id);
  const consenting = new Set(acts.map((act) => act.recipientId));
  const awaited: readonly EnvelopeRecipient[] = recipients.filter((recipient) => recipient.awaited && !consenting.has(recipient.id));
  // Who has agreed has nothing left to do.
  if (awaited.length === 0) return;
  await notifyExpiring(trx, platform, { envelope, awaited, days });
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "deadline_near",
    actor: SYSTEM_ACTOR,
    detail: { days, recipients: awaited.map((recipient) => recipient.id) },
  });
}

/** Who asks was settled by the caller: a guest by the link, or a signed-in recipient. */
type ExtensionRequest = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

/**
 * Tells the sender that a recipient wishes for a longer deadline, once a day at most; gives whether they were told now.
 * Errors: those of `decideExtensionRequest`.
 */
export async function requestExtension(platform: Platform, request: ExtensionRequest): Promise<Result<{ readonly told: boolean }>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const lastToldAt = await selectExtensionRequestedAt(trx, request.envelopeId);
    const decision = decideExtensionRequest(aggregate, { recipientId: request.recipientId, lastToldAt, now });
    if (!decision.ok) return decision;
    const { recipient, tellSender } = decision.value;
    if (!tellSender) return success({ told: false });
    await updateExtensionRequested(trx, { envelopeId: request.envelopeId, now });
    await tellSenderOfWish(trx, platform, { aggregate, recipient, request });
    return success({ told: true });
  });
}

type Telling = { readonly aggregate: EnvelopeAggregate; readonly recipient: EnvelopeRecipient; readonly request: ExtensionRequest };

async function tellSenderOfWish(trx: Transaction, platform: Platform, { aggregate, recipient, request }: Telling): Promise<void> {
  const { envelope } = aggregate;
  const now = platform.clock();
  await appendEvent(trx, platform, {
    envelopeId: envelope.id,
    action: "extension_requested",
    actor: { kind: "recipient", id: recipient.id, name: recipient.fullName, ip: request.client.ip, userAgent: request.client.userAgent },
    detail: { recipient: recipient.id },
  });
  await tellPeople(trx, platform, {
    owner: await selectOwner(trx, envelope.ownerId),
    toOwner: {
      kind: "extension_requested",
      dedupeKey: `extension_requested:${envelope.id}:${now.toISOString()}`,
      envelopeId: envelope.id,
      content: {
        envelopeTitle: envelope.title,
        recipientName: recipient.fullName,
        deadlineAt: (envelope.deadlineAt ?? now).toISOString(),
        link: ownerLink(platform, envelope.id),
      },
    },
    toRecipients: [],
  });
}
