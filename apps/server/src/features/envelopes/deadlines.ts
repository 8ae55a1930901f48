import { failure, problem, type Result, success } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { appendEvent, type AuditActor, SYSTEM_ACTOR } from "../journal/public.ts";
import { takeBackDeadlines } from "../notices/public.ts";
import { auditActor, changeEnvelope } from "./change-envelope.ts";
import { commit } from "./commit.ts";
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
} from "./domain/deadlines.ts";
import type { EnvelopeRecipient } from "./domain/envelope.ts";
import { outcomeOf } from "./domain/transitions.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { forEachDue } from "./for-each-due.ts";
import { inviteRecipients } from "./invite-recipients.ts";
import { limitAction } from "./limit-actions.ts";
import { type EnvelopeAggregate, lockEnvelope } from "./load-envelope.ts";
import { updateAsked, updateAwaited } from "./recipient-store.ts";
import { planRemindersAnew } from "./reminders.ts";
import { selectOwner, selectWaitingActs, updateEnvelopeRow } from "./store.ts";

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
async function tellDeadline(
  trx: Transaction,
  platform: Platform,
  aggregate: EnvelopeAggregate | null,
): Promise<void> {
  if (aggregate === null) return;
  const { envelope } = aggregate;
  const { deadlineAt } = envelope;
  if (
    !outcomeOf(envelope.status, "remind").ok ||
    (deadlineAt !== null && deadlineAt <= platform.clock())
  )
    return;
  const { recipients, news } = await uninformed(trx, aggregate);
  if (recipients.length === 0) return;
  const asked = {
    envelope,
    owner: await selectOwner(trx, envelope.ownerId),
    recipients,
    actor: SYSTEM_ACTOR,
  };
  if (deadlineAt === null) {
    await inviteRecipients(trx, platform, {
      ...asked,
      kind: "reminder",
      occasion: `reopened:${envelope.version}`,
    });
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

type Uninformed = {
  readonly recipients: readonly EnvelopeRecipient[];
  readonly news: ReadonlyMap<string, DeadlineNews>;
};

/** Those awaited who have something to hear; who has agreed has nothing left to do. */
async function uninformed(
  trx: Transaction,
  { envelope, recipients }: EnvelopeAggregate,
): Promise<Uninformed> {
  const { deadlineAt } = envelope;
  const consenting = new Set(
    (await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId),
  );
  const news = await selectDeadlineNews(trx, envelope.id);
  const hasNews = ({ id }: EnvelopeRecipient) => {
    const known = news.get(id);
    return (
      known !== undefined && (deadlineAt === null ? known.reopened : isNews(known, deadlineAt))
    );
  };
  return {
    recipients: recipients.filter((one) => one.awaited && !consenting.has(one.id) && hasNews(one)),
    news,
  };
}

/** `deadlineAt` null: no deadline any more. */
type NewDeadline = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Sets, moves or removes the deadline of an envelope that waits for signatures. Those awaited are told of a new one, a moment later and of the last
 * one alone; that there is none any more asks nothing of them.
 * Errors: `not_found`, `not_allowed`, those of `decideDeadline`, `too_many_requests`.
 */
export async function changeDeadline(
  platform: Platform,
  command: NewDeadline,
): Promise<Result<EnvelopeAggregate>> {
  const { deadlineAt } = command;
  return changeEnvelope(
    platform,
    { command, action: "adjust" },
    async (trx, { envelope, recipients }) => {
      const now = platform.clock();
      const decision = decideDeadline(envelope, { deadlineAt, now });
      if (!decision.ok) return decision;
      if (decision.value === "same") return success(null);
      const limited = await limitAction(
        { ...platform, db: trx },
        { kind: "extend", id: envelope.id },
      );
      if (!limited.ok) return limited;
      const changed = { ...envelope, deadlineAt };
      const consenting = new Set(
        (await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId),
      );
      const envelopeId = envelope.id;
      const detail = {
        from: envelope.deadlineAt?.toISOString() ?? null,
        to: deadlineAt?.toISOString() ?? null,
      };
      return success({
        writes: [
          () => updateEnvelopeRow(trx, { id: envelopeId, now, deadline_at: deadlineAt }),
          () => planRemindersAnew(trx, { envelope: changed, recipients, consenting, now }),
          // The message that tells the new deadline is the warning of one that is near.
          ...(deadlineAt === null
            ? []
            : [() => updateWarned(trx, { envelopeId, days: warnedBy(deadlineAt, now) })]),
          () => announceDeadline(trx, platform, { envelopeId, deadlineAt }),
        ],
        events: [
          { envelopeId, action: "deadline_changed", actor: auditActor(command.actor), detail },
        ],
      });
    },
  );
}

/** `deadlineAt` null: a week more. */
type DeadlineExtension = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Puts off the deadline of an open envelope, or opens one again that had expired: its links work again. Those awaited are told.
 * Errors: `not_found`, `not_allowed`, those of `decideExtension`, `too_many_requests`.
 */
export async function extendDeadline(
  platform: Platform,
  command: DeadlineExtension,
): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(
    platform,
    { command, action: "extend" },
    async (trx, { envelope, recipients }) => {
      const now = platform.clock();
      const decision = decideExtension(
        { envelope, recipients },
        { deadlineAt: command.deadlineAt, now },
      );
      if (!decision.ok) return decision;
      const limited = await limitAction(
        { ...platform, db: trx },
        { kind: "extend", id: envelope.id },
      );
      if (!limited.ok) return limited;
      const { deadlineAt, status, awaited, reopened } = decision.value;
      const envelopeId = envelope.id;
      const detail = {
        from: envelope.deadlineAt?.toISOString() ?? null,
        to: deadlineAt.toISOString(),
        reopened,
      };
      return success({
        writes: [
          () =>
            updateEnvelopeRow(trx, {
              id: envelopeId,
              now,
              status,
              deadline_at: deadlineAt,
              extension_requested_at: null,
            }),
          // The message that tells the new deadline is the warning of one that is near.
          () => updateWarned(trx, { envelopeId, days: warnedBy(deadlineAt, now) }),
          () => updateAwaited(trx, { envelopeId, awaited, invited: awaited, now }),
          ...(reopened ? [() => markReopened(trx, awaited)] : []),
          () => announceDeadline(trx, platform, { envelopeId, deadlineAt }),
        ],
        events: [
          { envelopeId, action: "deadline_extended", actor: auditActor(command.actor), detail },
        ],
      });
    },
  );
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
    const days = decideWarning(
      { ...aggregate.envelope, warnedDays: await selectWarnedDays(trx, envelopeId) },
      platform.clock(),
    );
    if (days === null) return false;
    const awaited = await stillAwaited(trx, aggregate);
    const { deadlineAt } = aggregate.envelope;
    await commit(trx, platform, {
      aggregate,
      writes: [
        () => updateWarned(trx, { envelopeId, days }),
        () => updateAsked(trx, { ids: awaited, deadlineAt, now: platform.clock() }),
      ],
      events:
        awaited.length === 0
          ? []
          : [
              {
                envelopeId,
                action: "deadline_near",
                actor: SYSTEM_ACTOR,
                detail: { days, recipients: awaited },
              },
            ],
    });
    return true;
  });
}

/** Gives whose signature is awaited; who has agreed has nothing left to do. */
async function stillAwaited(
  trx: Transaction,
  { envelope, recipients }: EnvelopeAggregate,
): Promise<readonly string[]> {
  const consenting = new Set(
    (await selectWaitingActs(trx, envelope.id)).map((act) => act.recipientId),
  );
  return recipients.filter(({ id, awaited }) => awaited && !consenting.has(id)).map(({ id }) => id);
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
export async function requestExtension(
  platform: Platform,
  request: ExtensionRequest,
): Promise<Result<{ readonly told: boolean }>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const lastToldAt = await selectExtensionRequestedAt(trx, request.envelopeId);
    const decision = decideExtensionRequest(aggregate, {
      recipientId: request.recipientId,
      lastToldAt,
      now,
    });
    if (!decision.ok) return decision;
    const { recipient, tellSender } = decision.value;
    if (!tellSender) return success({ told: false });
    const { envelopeId, client } = request;
    const actor: AuditActor = {
      kind: "recipient",
      id: recipient.id,
      name: recipient.fullName,
      ...client,
    };
    await commit(trx, platform, {
      aggregate,
      writes: [() => updateExtensionRequested(trx, { envelopeId, now })],
      events: [
        { envelopeId, action: "extension_requested", actor, detail: { recipient: recipient.id } },
      ],
    });
    return success({ told: true });
  });
}
