import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { forgetAnswers } from "../../platform/idempotency/forget-answers.ts";
import type { Platform } from "../../platform/platform.ts";
import { eraseDocuments } from "../documents/public.ts";
import { appendEvent, type AuditActor, erasePersonalValues, SYSTEM_ACTOR } from "../journal/public.ts";
import { eraseNotices } from "../notices/public.ts";
import { auditActor } from "./audit-actor.ts";
import { admit } from "./change-envelope.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { invalidState, outcomeOf } from "./domain/transitions.ts";
import { blankPersonalColumns } from "./erasure-store.ts";
import { lockEnvelope } from "./lock-envelope.ts";
import { updateEnvelopeRow } from "./store.ts";

/**
 * Purges a cancelled envelope for good: names and files go, a tombstone of ids, dates and hashes stays.
 * Errors: `not_found`, `not_allowed`, `invalid_state`.
 */
export async function purgeEnvelope(platform: Platform, command: EnvelopeCommand): Promise<Result<null>> {
  return inTransaction(platform.db, async (trx) => {
    const owned = admit(await lockEnvelope(trx, command.envelopeId), { user: command.actor.user, action: "purge" });
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
    if (aggregate.envelope.cancelledAt === null || !due.isDue(aggregate.envelope.cancelledAt)) return failure(problem("invalid_state"));
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
export async function eraseEnvelope(
  trx: Transaction,
  platform: Platform,
  { envelopeId, actor }: { readonly envelopeId: string; readonly actor: AuditActor },
): Promise<void> {
  const now = platform.clock();
  await erasePersonalValues(trx, envelopeId);
  await appendEvent(trx, platform, { envelopeId, action: "envelope_purged", actor });
  await eraseNotices(trx, envelopeId);
  await eraseDocuments(trx, platform, envelopeId);
  await blankPersonalColumns(trx, envelopeId);
  await forgetAnswers(trx, envelopeId);
  await updateEnvelopeRow(trx, { id: envelopeId, now, purged_at: now, title: "", search_text: "", message: null, created_by_name: "" });
}
