import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { forgetAnswers } from "../../platform/idempotency/store.ts";
import type { Platform } from "../../platform/platform.ts";
import { eraseDocuments } from "../documents/public.ts";
import {
  appendEvent,
  type AuditActor,
  eraseActorAddresses,
  erasePersonalValues,
  type NewAuditEvent,
  SYSTEM_ACTOR,
} from "../journal/public.ts";
import { eraseNotices } from "../notices/public.ts";
import { admit, auditActor } from "./change-envelope.ts";
import { checkCancellable, voidConsents } from "./close-envelope.ts";
import { commit, followEvents } from "./commit.ts";
import { invalidState, outcomeOf } from "./domain/transitions.ts";
import type { EnvelopeCommand } from "./domain/viewer.ts";
import { blankPersonalColumns, selectEvidenceOf, selectWithoutEvidence } from "./erasure-store.ts";
import { lockEnvelope } from "./load-envelope.ts";
import { updateEnvelopeRow } from "./store.ts";

/**
 * Purges a cancelled envelope for good: names and files go, a tombstone of ids, dates and hashes stays.
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
    // The event keeps who purged by id only: it is written after the personal values are erased, and bears none.
    const { kind, id } = auditActor(command.actor);
    await eraseEnvelope(trx, platform, { envelopeId: command.envelopeId, actor: { kind, id } });
    return success(null);
  });
}

/** Purges an envelope whose 10 days are over. Errors: `not_found`, `invalid_state` when somebody restored or purged it meanwhile. */
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
    await eraseEnvelope(trx, platform, { envelopeId: due.envelopeId, actor: SYSTEM_ACTOR });
    return success(null);
  });
}

/** Erases a closed envelope whose retention is over. Errors: `not_found`, `invalid_state` when its state changed meanwhile. */
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
    await eraseEnvelope(trx, platform, { envelopeId: due.envelopeId, actor: SYSTEM_ACTOR });
    return success(null);
  });
}

/** Erases an envelope whose lock is held: names and files go; ids, dates, hashes and the chain stay. */
async function eraseEnvelope(
  trx: Transaction,
  platform: Platform,
  { envelopeId, actor }: { readonly envelopeId: string; readonly actor: AuditActor },
): Promise<void> {
  const now = platform.clock();
  await erasePersonalValues(trx, envelopeId);
  await appendEvent(trx, platform, purged(envelopeId, actor));
  await eraseNotices(trx, envelopeId);
  await eraseDocuments(trx, platform, envelopeId);
  await blankPersonalColumns(trx, envelopeId);
  await forgetAnswers(trx, envelopeId);
  await updateEnvelopeRow(trx, {
    id: envelopeId,
    now,
    purged_at: now,
    title: "",
    search_text: "",
    message: null,
    created_by_name: "",
  });
}

function purged(envelopeId: string, actor: AuditActor): NewAuditEvent {
  return { envelopeId, action: "envelope_purged", actor };
}

const BATCH = 200;
/** What proves that somebody agreed: where and with what they did so stays with it. */
const EVIDENCE_ACTIONS = ["consent_given", "recipient_signed", "code_verified"] as const;

/**
 * Erases what the owner of a closed account leaves: every envelope that is no evidence of completed signatures is purged, whatever its state; of the
 * completed ones the owner's own addresses and browsers go, but for their consents. May run twice.
 * Throws, once all the others are erased, when an envelope cannot be closed yet, because a consent in it is being sealed: its job comes back.
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

/** Erases what it can; gives why the rest could not be. */
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
    await inTransaction(platform.db, (trx) =>
      eraseActorAddresses(trx, {
        envelopeIds: ids,
        actor: { kind: "user", id: ownerId },
        except: EVIDENCE_ACTIONS,
      }),
    );
    afterId = ids.at(-1) ?? null;
    if (ids.length < BATCH) return;
  }
}

/** One that was sent while the account was being closed is still open: those who were asked are told. One completed meanwhile is evidence, and stays. */
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
    if (status === "sent" || status === "pending") {
      const voided = await voidConsents(trx, { envelopeId, actor: SYSTEM_ACTOR });
      await commit(trx, platform, { aggregate, writes: [], events: voided, tells: "nobody" });
      // Before its people are erased with it.
      await followEvents(trx, platform, {
        aggregate,
        events: [...voided, purged(envelopeId, SYSTEM_ACTOR)],
      });
    }
    await eraseEnvelope(trx, platform, { envelopeId, actor: SYSTEM_ACTOR });
  });
}
