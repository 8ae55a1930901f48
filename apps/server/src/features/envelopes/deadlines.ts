import { failure, problem, type Result, success } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { type AuditActor, SYSTEM_ACTOR } from "../journal/public.ts";
import { takeBackDeadlines } from "../notices/public.ts";
import { changeEnvelope, limitAction } from "./change-envelope.ts";
import { auditActor, commit } from "./commit.ts";
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
import { type EnvelopeRecipient, outcomeOf } from "./domain/envelope.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { forEachDue, planRemindersAnew } from "./reminders.ts";
import { prepareInvitations } from "./invitations.ts";
import { type EnvelopeAggregate, lockEnvelope, updateEnvelopeRow } from "./store.ts";
import { updateAsked, updateAwaited, selectConsenting } from "./recipient-store.ts";

export const ANNOUNCE_DEADLINE_JOB = "envelopes.announce-deadline";
const payloadSchema = z.strictObject({ envelope_id: z.uuid(), announcement: z.uuid() });

/** Mails two minutes later and withdraws an earlier message. */
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
    await sendDeadline(trx, platform, await lockEnvelope(trx, envelopeId));
    return;
  }
  const payload = { envelope_id: envelopeId, announcement };
  await platform.queue.enqueue(trx, ANNOUNCE_DEADLINE_JOB, payload, { startAfter });
}

/** Does nothing if a later change replaced this job. Idempotent. */
export async function runAnnouncement(platform: Platform, payload: unknown): Promise<void> {
  const { envelope_id: envelopeId, announcement } = payloadSchema.parse(payload);
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if ((await selectAnnouncement(trx, envelopeId)) !== announcement) return;
    await updateAnnouncement(trx, { envelopeId, announcement: null });
    await sendDeadline(trx, platform, aggregate);
  });
}

/** A removed deadline is not announced, but recipients whose link had expired are reminded. */
async function sendDeadline(
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
  const { recipients, news } = await selectUninformed(trx, aggregate);
  if (recipients.length === 0) return;
  const asked = { envelope, recipients, actor: SYSTEM_ACTOR };
  if (deadlineAt === null) {
    const occasion = `reopened:${envelope.version}`;
    const reminders = await prepareInvitations(trx, platform, {
      ...asked,
      kind: "reminder",
      occasion,
    });
    return commit(trx, platform, { about: aggregate, ...reminders });
  }
  const occasion = `${deadlineAt.toISOString()}:${envelope.version}`;
  const invitations = await prepareInvitations(trx, platform, {
    ...asked,
    kind: "extended",
    news,
    occasion,
  });
  const detail = {
    deadline: deadlineAt.toISOString(),
    recipients: recipients.map(({ id }) => id),
  };
  const announced = {
    envelopeId: envelope.id,
    action: "deadline_announced",
    actor: SYSTEM_ACTOR,
    detail,
  } as const;
  return commit(trx, platform, { ...invitations, about: aggregate, events: [announced] });
}

type Uninformed = {
  readonly recipients: readonly EnvelopeRecipient[];
  readonly news: ReadonlyMap<string, DeadlineNews>;
};

async function selectUninformed(
  trx: Transaction,
  { envelope, recipients }: EnvelopeAggregate,
): Promise<Uninformed> {
  const { deadlineAt } = envelope;
  const consenting = await selectConsenting(trx, envelope.id);
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

type NewDeadline = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Sets, moves or removes a deadline.
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
      const consenting = await selectConsenting(trx, envelope.id);
      const envelopeId = envelope.id;
      const detail = {
        from: envelope.deadlineAt?.toISOString() ?? null,
        to: deadlineAt?.toISOString() ?? null,
      };
      return success({
        writes: [
          updateEnvelopeRow({ id: envelopeId, now, deadline_at: deadlineAt }),
          () => planRemindersAnew(trx, { envelope: changed, recipients, consenting, now }),
          // The announcement of a near deadline replaces its warning.
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

type DeadlineExtension = EnvelopeCommand & { readonly deadlineAt: Date | null };

/**
 * Reopens an expired envelope with its links.
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
          updateEnvelopeRow({
            id: envelopeId,
            now,
            status,
            deadline_at: deadlineAt,
            extension_requested_at: null,
          }),
          () => updateWarned(trx, { envelopeId, days: warnedBy(deadlineAt, now) }),
          updateAwaited({ envelopeId, awaited, invited: awaited, now }),
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

/** Warns two days and one day before, each in its own transaction; gives the number. */
export async function warnDeadlines(platform: Platform): Promise<number> {
  return forEachDue(platform, {
    what: "the warning of a deadline",
    select: (window) => selectNearDeadline(platform.db, { now: platform.clock(), ...window }),
    run: (id) => warnDeadline(platform, id),
  });
}

/** Gives false when nothing was due. Idempotent. */
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
      about: aggregate,
      writes: [
        () => updateWarned(trx, { envelopeId, days }),
        updateAsked({ ids: awaited, deadlineAt, now: platform.clock() }),
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

async function stillAwaited(
  trx: Transaction,
  { envelope, recipients }: EnvelopeAggregate,
): Promise<readonly string[]> {
  const consenting = await selectConsenting(trx, envelope.id);
  return recipients.filter(({ id, awaited }) => awaited && !consenting.has(id)).map(({ id }) => id);
}

/** The caller authenticated the recipient, by link or session. */
type ExtensionRequest = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

/** Notifies the sender once a day at most. Errors: those of `decideExtensionRequest`. */
export async function requestExtension(
  platform: Platform,
  request: ExtensionRequest,
): Promise<Result<{ readonly told: boolean }>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const lastNotifiedAt = await selectExtensionRequestedAt(trx, request.envelopeId);
    const decision = decideExtensionRequest(aggregate, {
      recipientId: request.recipientId,
      lastNotifiedAt,
      now,
    });
    if (!decision.ok) return decision;
    const { recipient, notifiesSender } = decision.value;
    if (!notifiesSender) return success({ told: false });
    const { envelopeId, client } = request;
    const actor: AuditActor = {
      kind: "recipient",
      id: recipient.id,
      name: recipient.fullName,
      ...client,
    };
    await commit(trx, platform, {
      about: aggregate,
      writes: [() => updateExtensionRequested(trx, { envelopeId, now })],
      events: [
        { envelopeId, action: "extension_requested", actor, detail: { recipient: recipient.id } },
      ],
    });
    return success({ told: true });
  });
}
