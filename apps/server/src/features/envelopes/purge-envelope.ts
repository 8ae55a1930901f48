import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction, writeTogether } from "../../platform/database/in-transaction.ts";
import { forgetAnswers } from "../../platform/idempotency/store.ts";
import type { Platform } from "../../platform/platform.ts";
import { eraseDocuments } from "../documents/public.ts";
import {
  type AuditActor,
  eraseActorAddresses,
  erasePersonalValues,
  type NewAuditEvent,
  SYSTEM_ACTOR,
} from "../journal/public.ts";
import { eraseNotices } from "../notices/public.ts";
import { admit } from "./change-envelope.ts";
import { auditActor, commit, commitWithoutMessages } from "./commit.ts";
import { checkCancellable } from "./close-envelope.ts";
import { voidConsents } from "./record-signature.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { blankPersonalColumns, selectEvidenceOf, selectWithoutEvidence } from "./erasure-store.ts";
import { type EnvelopeAggregate, lockEnvelope, updateEnvelopeRow } from "./store.ts";
import { eraseWebhookBodies } from "./webhooks/store.ts";
import { outcomeOf, invalidState, isAsking } from "./domain/envelope.ts";

/**
 * Erases names and files of a cancelled envelope; ids, dates and hashes stay.
 * Errors: `not_found`, `not_allowed`, `invalid_state`.
 */
export async function purgeEnvelope(
  platform: Platform,
  command: EnvelopeCommand,
): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const owned = admit(await lockEnvelope(trx, command.envelopeId), {
      user: command.actor.user,
      action: "purge",
    });
    if (!owned.ok) return owned;
    const outcome = outcomeOf(owned.value.envelope.status, "purge");
    if (!outcome.ok) return outcome;
    // The event names the person by id, without personal values.
    const { kind, id } = auditActor(command.actor);
    await eraseEnvelope(trx, platform, { aggregate: owned.value, actor: { kind, id } });
    return success(null);
  });
}

/** Purges after 10 days. Errors: `not_found`, `invalid_state`. */
export async function purgeExpired(
  platform: Platform,
  due: { readonly envelopeId: string; readonly isDue: (cancelledAt: Date) => boolean },
): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, due.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const outcome = outcomeOf(aggregate.envelope.status, "purge");
    if (!outcome.ok) return outcome;
    if (aggregate.envelope.cancelledAt === null || !due.isDue(aggregate.envelope.cancelledAt))
      return failure(problem("invalid_state"));
    await eraseEnvelope(trx, platform, { aggregate, actor: SYSTEM_ACTOR });
    return success(null);
  });
}

/** Erases after the retention. Errors: `not_found`, `invalid_state`. */
export async function eraseClosed(
  platform: Platform,
  due: { readonly envelopeId: string; readonly closedBefore: Date },
): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, due.envelopeId);
    if (aggregate === null) return failure(problem("not_found"));
    const { status, completedAt, updatedAt } = aggregate.envelope;
    const outcome = outcomeOf(status, "erase");
    if (!outcome.ok) return outcome;
    if ((completedAt ?? updatedAt) > due.closedBefore) return failure(invalidState(status));
    await eraseEnvelope(trx, platform, { aggregate, actor: SYSTEM_ACTOR });
    return success(null);
  });
}

type Erasure = { readonly aggregate: EnvelopeAggregate; readonly actor: AuditActor };

/** Recipients of an open one are notified before their addresses go. */
async function eraseEnvelope(
  trx: Transaction,
  platform: Platform,
  { aggregate, actor }: Erasure,
): Promise<void> {
  const { id: envelopeId } = aggregate.envelope;
  const now = platform.clock();
  const purged: NewAuditEvent = { envelopeId, action: "envelope_purged", actor };
  if (isAsking(aggregate.envelope)) {
    const voided = await voidConsents(trx, { envelopeId, actor });
    await commit(trx, platform, { about: aggregate, writes: [], events: [...voided, purged] });
  } else {
    const { ownerId } = aggregate.envelope;
    await commitWithoutMessages(trx, platform, { ownerId, writes: [], events: [purged] });
  }
  await erasePersonalValues(trx, envelopeId);
  await eraseNotices(trx, envelopeId);
  await eraseWebhookBodies(trx, envelopeId);
  await eraseDocuments(trx, platform, envelopeId);
  await blankPersonalColumns(trx, envelopeId);
  await forgetAnswers(trx, envelopeId);
  await writeTogether(trx, [
    updateEnvelopeRow({
      id: envelopeId,
      now,
      purged_at: now,
      title: "",
      search_text: "",
      message: null,
      created_by_name: "",
    }),
  ]);
}

const BATCH = 200;
/** Address and browser of these acts are evidence. */
const EVIDENCE_ACTIONS = ["consent_given", "recipient_signed", "code_verified"] as const;

/**
 * Completed envelopes are evidence and lose only the owner's addresses and browsers outside
 * consents. Idempotent.
 * Errors: throws at the end while a consent is being sealed: the job retries.
 */
export async function eraseOwnedEnvelopes(platform: Platform, ownerId: string): Promise<void> {
  const faults = await eraseAll(platform, ownerId);
  await eraseOwnTraces(platform, ownerId);
  if (faults.length > 0)
    throw new AggregateError(
      faults,
      `${faults.length} envelopes of an erased account could not be erased yet`,
    );
}

async function eraseAll(platform: Platform, ownerId: string): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (let afterId: string | null = null; ; ) {
    const ids: string[] = await selectWithoutEvidence(platform.db, {
      ownerId,
      afterId,
      limit: BATCH,
    });
    for (const envelopeId of ids)
      await eraseOne(platform, { ownerId, envelopeId }).catch((error: unknown) => {
        faults.push(error);
      });
    afterId = ids.at(-1) ?? null;
    if (ids.length < BATCH) return faults;
  }
}

async function eraseOwnTraces(platform: Platform, ownerId: string): Promise<void> {
  for (let afterId: string | null = null; ; ) {
    const ids: string[] = await selectEvidenceOf(platform.db, { ownerId, afterId, limit: BATCH });
    await inTransaction(platform.db, (trx) => eraseTraces(trx, { ownerId, envelopeIds: ids }));
    afterId = ids.at(-1) ?? null;
    if (ids.length < BATCH) return;
  }
}

/** Erases the owner's addresses and browsers outside consents. */
export async function eraseTraces(
  trx: Transaction,
  { ownerId, envelopeIds }: { readonly ownerId: string; readonly envelopeIds: readonly string[] },
): Promise<void> {
  const actor = { kind: "user", id: ownerId } as const;
  await eraseActorAddresses(trx, { envelopeIds, actor, except: EVIDENCE_ACTIONS });
}

/** The envelope may have been sent (open) or completed (evidence) meanwhile. */
async function eraseOne(
  platform: Platform,
  { ownerId, envelopeId }: { readonly ownerId: string; readonly envelopeId: string },
): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const aggregate = await lockEnvelope(trx, envelopeId);
    if (aggregate === null || aggregate.envelope.ownerId !== ownerId) return;
    const { status } = aggregate.envelope;
    if (!outcomeOf(status, "erase_account").ok) return;
    const cancellable = await checkCancellable(trx, { envelopeId, now: platform.clock() });
    if (!cancellable.ok)
      throw new Error(`envelope ${envelopeId} cannot be closed yet: ${cancellable.error.code}`);
    await eraseEnvelope(trx, platform, { aggregate, actor: SYSTEM_ACTOR });
  });
}
