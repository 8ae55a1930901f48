import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { lockStanding } from "../accounts/public.ts";
import { type AuditActor, SYSTEM_ACTOR } from "../journal/public.ts";
import {
  changeEnvelope,
  checkVersion,
  limitAction,
  loadChanged,
  mayAskToday,
} from "./change-envelope.ts";
import { actingFacts, auditActor, commit } from "./commit.ts";
import { decideDecline, decideRestore } from "./domain/decisions.ts";
import {
  awaitedRecipients,
  type Delegate,
  type Envelope,
  isStuck,
  outcomeOf,
} from "./domain/envelope.ts";
import { voidConsents } from "./record-signature.ts";
import { delegationOver, type EnvelopeCommand } from "./domain/viewer.ts";
import { type EnvelopeAggregate, lockEnvelope, updateEnvelopeRow } from "./store.ts";
import { updateAwaited, updateDeclined, selectWaitingActs } from "./recipient-store.ts";
import { prepareInvitations } from "./invitations.ts";

/** A committed consent is sealed before the envelope closes. */
async function checkClosable(trx: Transaction, envelopeId: string): Promise<Result<null>> {
  return (await selectWaitingActs(trx, envelopeId)).length > 0 ? inProgress() : success(null);
}

/** Errors: `signature_in_progress`, unless every waiting consent is stuck. */
export async function checkCancellable(
  trx: Transaction,
  { envelopeId, now }: { envelopeId: string; now: Date },
): Promise<Result<null>> {
  const acts = await selectWaitingActs(trx, envelopeId);
  return acts.every((act) => isStuck(act, now)) ? success(null) : inProgress();
}

function inProgress() {
  return failure(problem("signature_in_progress", { retryAfterS: 5 }));
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Withdraws stuck consents too; can be restored for 10 days.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `version_conflict`, `signature_in_progress`.
 */
export async function cancelEnvelope(
  platform: Platform,
  command: EnvelopeCommand & { readonly version?: number | null },
): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(platform, { command, action: "cancel" }, async (trx, aggregate) => {
    const { envelope } = aggregate;
    const outcome = outcomeOf(envelope.status, "cancel");
    if (!outcome.ok) return outcome;
    const current = checkVersion(envelope, command.version);
    if (!current.ok) return current;
    const now = platform.clock();
    const cancellable = await checkCancellable(trx, { envelopeId: envelope.id, now });
    if (!cancellable.ok) return cancellable;
    const { id, status } = envelope;
    const actor = auditActor(command.actor);
    return success({
      writes: [
        updateEnvelopeRow({
          id,
          now,
          status: "cancelled",
          status_before_cancel: status,
          cancelled_at: now,
        }),
        updateAwaited({ envelopeId: id, awaited: NOBODY, invited: NOBODY, now }),
      ],
      events: [
        ...(await voidConsents(trx, { envelopeId: id, actor })),
        { envelopeId: id, action: "envelope_cancelled", actor, detail: { from: status } },
      ],
    });
  });
}

/** The caller authenticated the recipient, by code or session. */
type DeclineRequest = {
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly reason: string;
  readonly client: { readonly ip: string; readonly userAgent: string };
  readonly delegate?: Delegate | undefined;
};

/**
 * Closes an open envelope that a recipient refuses to sign.
 * Errors: `not_found`; `delegation_over`; `already_signed`, `invalid_state`,
 * `deadline_passed`, `not_your_turn`, `signature_in_progress`.
 */
export async function declineEnvelope(
  platform: Platform,
  request: DeclineRequest,
): Promise<Result<EnvelopeAggregate>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, request.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const recipient = decideDecline(aggregate, { recipientId: request.recipientId, now });
    if (!recipient.ok) return recipient;
    const closable = await checkClosable(trx, request.envelopeId);
    if (!closable.ok) return closable;
    const { envelopeId, recipientId, reason, client, delegate } = request;
    if (delegate && !(await lockStanding(trx, { id: delegate.delegation_id, now })))
      return failure(delegationOver());
    const { name, personal, detail } = actingFacts(recipient.value, delegate);
    const actor: AuditActor = { kind: "recipient", id: recipientId, name, ...client };
    await commit(trx, platform, {
      about: aggregate,
      writes: [
        () => updateDeclined(trx, { recipientId, reason, now }),
        updateAwaited({ envelopeId, awaited: NOBODY, invited: NOBODY, now }),
        updateEnvelopeRow({ id: envelopeId, now, status: "declined" }),
      ],
      events: [
        {
          envelopeId,
          action: "envelope_declined",
          actor,
          detail: { ...detail, role: recipient.value.role },
          personal: { reason, ...personal },
        },
      ],
    });
    return loadChanged(trx, envelopeId);
  });
}

/**
 * Closes an envelope past its deadline. Idempotent.
 * Errors: `not_found`, `invalid_state`, `signature_in_progress`.
 */
export async function expireEnvelope(
  platform: Platform,
  envelopeId: string,
): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const now = platform.clock();
    const { status, deadlineAt } = aggregate.envelope;
    const outcome = outcomeOf(status, "expire");
    if (!outcome.ok) return outcome;
    if (deadlineAt === null || deadlineAt > now) return failure(problem("invalid_state"));
    const closable = await checkClosable(trx, envelopeId);
    if (!closable.ok) return closable;
    await commit(trx, platform, {
      about: aggregate,
      writes: [
        updateEnvelopeRow({ id: envelopeId, now, status: "expired" }),
        updateAwaited({ envelopeId, awaited: NOBODY, invited: NOBODY, now }),
      ],
      events: [
        {
          envelopeId,
          action: "envelope_expired",
          actor: SYSTEM_ACTOR,
          detail: { deadline_at: deadlineAt.toISOString() },
        },
      ],
    });
    return success(null);
  });
}

/**
 * Reopens links and asks awaited recipients anew.
 * Errors: `not_found`, `not_allowed`, `invalid_state`, `too_many_requests`, `too_many_messages`.
 */
export async function restoreEnvelope(
  platform: Platform,
  command: EnvelopeCommand,
): Promise<Result<EnvelopeAggregate>> {
  return changeEnvelope(
    platform,
    { command, action: "restore" },
    async (trx, { envelope, recipients }) => {
      const now = platform.clock();
      const status = decideRestore(envelope, now);
      if (!status.ok) return status;
      const isOpen = status.value === "sent" || status.value === "pending";
      const awaited = isOpen ? awaitedRecipients(envelope.flow, recipients) : null;
      const asked = recipients.filter(({ id }) => awaited?.has(id));
      const spent = await mayAskToday({ ...platform, db: trx }, { envelope, recipients: asked });
      if (!spent.ok) return spent;
      // Counted in the transaction, so that a refused attempt is not.
      const limited =
        awaited === null
          ? success(null)
          : await limitAskingAnew({ ...platform, db: trx }, { envelope, count: awaited.size });
      if (!limited.ok) return limited;
      const actor = auditActor(command.actor);
      const { id: envelopeId } = envelope;
      const restored = {
        id: envelopeId,
        now,
        status: status.value,
        status_before_cancel: null,
        cancelled_at: null,
      };
      const event = {
        envelopeId,
        action: "envelope_restored",
        actor,
        detail: { to: status.value },
      } as const;
      if (awaited === null)
        return success({ writes: [updateEnvelopeRow(restored)], events: [event] });
      const invitations = await prepareInvitations(trx, platform, {
        kind: "invitation",
        envelope,
        recipients: asked,
        actor,
        occasion: `restored:${envelope.version}`,
      });
      return success({
        writes: [
          updateEnvelopeRow(restored),
          updateAwaited({ envelopeId, awaited, invited: awaited, now }),
          ...invitations.writes,
        ],
        events: [event, ...invitations.events],
        notices: invitations.notices,
      });
    },
  );
}

async function limitAskingAnew(
  platform: Parameters<typeof limitAction>[0],
  {
    envelope,
    count,
  }: { readonly envelope: Pick<Envelope, "id" | "ownerId">; readonly count: number },
): Promise<Result<null>> {
  const restored = await limitAction(platform, { kind: "restore", id: envelope.id });
  return restored.ok
    ? limitAction(platform, { kind: "invite", id: envelope.ownerId, count })
    : restored;
}
