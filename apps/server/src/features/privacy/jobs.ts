import * as z from "zod/mini";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { deleteSessionsOf } from "../accounts/public.ts";
import {
  deleteContactsOf,
  eraseOwnedEnvelopes,
  eraseOwnedTemplates,
  selectErasedOwners,
} from "../envelopes/public.ts";
import { eraseOwnedBatches, eraseSavedSignatures } from "../signing/public.ts";
import { passTeamWork, registerLeaveJobs } from "./leave-organisation.ts";

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
  await eraseOwnedTemplates(platform, userId);
  await deleteContactsOf(platform.db, userId);
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
