import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  type AccountDeps,
  closeAccount,
  confirmPassword,
  deleteKeysOf,
  deleteSessionsOf,
  type SessionUser,
} from "../accounts/public.ts";
import {
  cancelEnvelope,
  deleteContactsOf,
  deleteWebhooksOf,
  eraseOwnedEnvelopes,
  eraseOwnedTemplates,
  selectErasedOwners,
  selectEvidenceOf,
  selectOpenOwned,
} from "../envelopes/public.ts";
import { checkErasure, selectAbandoned } from "../organisations/public.ts";
import { eraseOwnedBatches, eraseSavedSignatures } from "../signing/public.ts";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { passTeamWork, registerLeaveJobs } from "./leave-organisation.ts";

const WRONG = { password: ["Mot de passe incorrect"] };
/** The refusal lists at most this many open envelopes. */
const NAMED = 20;

export type ErasureRequest = {
  readonly user: SessionUser;
  readonly client: { readonly ip: string; readonly userAgent: string };
  readonly password: string;
  readonly cancelOpen: boolean;
};

/**
 * A job queued in the same transaction erases the rest; evidence stays (security §4).
 * Errors: `validation` on `password`; `session_expired` after five wrong ones; `open_envelopes`
 * unless their cancellation was asked; `signature_in_progress`; `last_owner`.
 */
export async function erasePerson(
  accounts: AccountDeps,
  request: ErasureRequest,
): Promise<Result<void, Problem>> {
  const { platform } = accounts;
  const { user } = request;
  const confirmed = await confirmPassword(accounts, {
    user,
    password: request.password,
    refusal: WRONG,
  });
  if (!confirmed.ok) return confirmed;
  const free = await checkErasure(platform.db, user.id);
  if (!free.ok) return free;
  const closable = request.cancelOpen
    ? await cancelAllOpen(platform, request)
    : await refuseIfOpen(platform, user.id);
  if (!closable.ok) return closable;
  return inTransaction(platform.db, async (trx) => {
    const evidence = await selectEvidenceOf(trx, { ownerId: user.id, afterId: null, limit: 1 });
    const closed = await closeAccount(trx, platform, {
      userId: user.id,
      keepsEvidence: evidence.length > 0,
    });
    if (!closed) return failure(problem("session_expired"));
    await passTeamWork(trx, platform, { id: user.id, fullName: user.full_name });
    await deleteWebhooksOf(trx, user.id);
    await eraseSavedSignatures(trx, user.id);
    await enqueueErasure(trx, platform, user.id);
    return success(undefined);
  });
}

async function refuseIfOpen(platform: Platform, userId: string): Promise<Result<void, Problem>> {
  const { count, first } = await selectOpenOwned(platform.db, { ownerId: userId, limit: NAMED });
  return count === 0
    ? success(undefined)
    : failure(
        problem("open_envelopes", { extensions: { open_count: count, open_envelopes: first } }),
      );
}

async function cancelAllOpen(
  platform: Platform,
  { user, client }: ErasureRequest,
): Promise<Result<void, Problem>> {
  for (;;) {
    const { first } = await selectOpenOwned(platform.db, { ownerId: user.id, limit: NAMED });
    if (first.length === 0) return success(undefined);
    for (const { id } of first) {
      const cancelled = await cancelEnvelope(platform, { envelopeId: id, actor: { user, client } });
      const isGone =
        !cancelled.ok &&
        (cancelled.error.code === "invalid_state" || cancelled.error.code === "not_found");
      if (!cancelled.ok && !isGone) return cancelled;
    }
  }
}

const ERASE_ENVELOPES_JOB = "personal-data.erase-envelopes";
const payloadSchema = z.strictObject({ user_id: z.uuid() });
const LONGEST_REQUEST_MS = 15 * 60_000;
/** Retries last over a day, as long as a sealing may take. */
const RETRIES = {
  concurrency: 1,
  retryLimit: 60,
  retryDelayS: 30,
  retryDelayMaxS: 3_600,
  expireInS: 900,
} as const;

export function registerPersonalDataJobs(platform: Platform): void {
  platform.queue.handle(ERASE_ENVELOPES_JOB, RETRIES, async (payload) => {
    await eraseLeft(platform, z.parse(payloadSchema, payload).user_id);
  });
  registerLeaveJobs(platform);
  platform.queue.schedule("personal-data.sweep", "50 3 * * *", () => sweepErased(platform));
}

async function eraseLeft(platform: Platform, userId: string): Promise<void> {
  // Runs first: an envelope not closed yet may stop the job.
  await deleteSessionsOf(platform.db, userId);
  await inTransaction(platform.db, (trx) => eraseSavedSignatures(trx, userId));
  await inTransaction(platform.db, (trx) =>
    passTeamWork(trx, platform, { id: userId, fullName: null }),
  );
  // Runs first: queued batches would make more envelopes.
  await eraseOwnedBatches(platform, userId);
  for (const holderId of [userId, ...(await selectAbandoned(platform.db))]) {
    await eraseOwnedTemplates(platform, holderId);
    await deleteContactsOf(platform.db, holderId);
    await inTransaction(platform.db, async (trx) => {
      await deleteKeysOf(trx, holderId);
      await deleteWebhooksOf(trx, holderId);
    });
  }
  await eraseOwnedEnvelopes(platform, userId);
}

/** Repeats jobs that gave up: the consent that blocked them may be sealed or withdrawn. */
export async function sweepErased(platform: Platform): Promise<void> {
  const faults: unknown[] = [];
  for (const userId of await selectErasedOwners(platform.db))
    await eraseLeft(platform, userId).catch((error: unknown) => {
      faults.push(error);
    });
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} erased accounts still have envelopes`);
}

/**
 * Queues it in the closing transaction: for now, and for after the last request, which may leave a
 * draft.
 */
export async function enqueueErasure(
  trx: Transaction,
  platform: Pick<Platform, "queue" | "clock">,
  userId: string,
): Promise<void> {
  const payload = { user_id: userId };
  await platform.queue.enqueue(trx, ERASE_ENVELOPES_JOB, payload, { singletonKey: userId });
  const startAfter = new Date(platform.clock().getTime() + LONGEST_REQUEST_MS);
  await platform.queue.enqueue(trx, ERASE_ENVELOPES_JOB, payload, {
    singletonKey: `${userId} again`,
    startAfter,
  });
}
