import { toHex } from "@paraphe/kernel/bytes";
import { sha256Schema } from "@paraphe/contracts";
import * as z from "zod/mini";
import { assertRemovalAllowed } from "../../platform/backup/backups.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  blankDocumentNames,
  deleteExpiredUploads,
  forgetLooseFiles,
  isBlobNeeded,
  lockBlobs,
  selectBlobs,
  selectLooseFiles,
  selectUnreferenced,
} from "./store.ts";

const REMOVE_FILES_JOB = "documents.remove-files";
const REMOVE_BLOBS_JOB = "documents.remove-blobs";
const RETRIES = {
  concurrency: 1,
  retryLimit: 20,
  retryDelayS: 30,
  retryDelayMaxS: 3_600,
  expireInS: 300,
} as const;
const payloadSchema = z.strictObject({ envelope_id: z.uuid() });
const blobsSchema = z.strictObject({ sha256: z.array(sha256Schema) });

export function registerDocumentJobs(platform: Platform): void {
  platform.queue.handle(REMOVE_FILES_JOB, RETRIES, async (payload) => {
    await removeFiles(platform, z.parse(payloadSchema, payload).envelope_id);
  });
  platform.queue.handle(REMOVE_BLOBS_JOB, RETRIES, async (payload) => {
    const { sha256 } = z.parse(blobsSchema, payload);
    await removeBlobs(
      platform,
      sha256.map((name) => new Uint8Array(Buffer.from(name, "hex"))),
    );
  });
  // Runs several times, as a backup blocks removals.
  platform.queue.schedule("documents.sweep-files", "40 3-6 * * *", async () => {
    const removed = await sweepFiles(platform);
    if (removed > 0) platform.log.info({ removed }, "files that nothing refers to were removed");
  });
}

/** Names those that nothing else needs, in the transaction. */
export async function dropBlobs(
  trx: Transaction,
  platform: Pick<Platform, "queue">,
  sha256s: readonly Uint8Array[],
): Promise<void> {
  if (sha256s.length === 0) return;
  await platform.queue.enqueue(trx, REMOVE_BLOBS_JOB, {
    sha256: sha256s.map((sha256) => toHex(sha256)),
  });
}

/** Blanks names now, removes bytes in a job; hashes and sizes stay. */
export async function eraseDocuments(
  trx: Transaction,
  platform: Pick<Platform, "queue">,
  envelopeId: string,
): Promise<void> {
  await blankDocumentNames(trx, envelopeId);
  await platform.queue.enqueue(
    trx,
    REMOVE_FILES_JOB,
    { envelope_id: envelopeId },
    { singletonKey: envelopeId },
  );
}

/**
 * Removes those that no envelope, template, batch or account needs. Idempotent.
 * Errors: `RemovalBlockedError` during a backup.
 */
export async function removeBlobs(
  platform: Pick<Platform, "db" | "files">,
  sha256s: readonly Uint8Array[],
): Promise<void> {
  for (const sha256 of sha256s) {
    await inTransaction(platform.db, async (trx) => {
      await assertRemovalAllowed(trx);
      await lockBlobs(trx, [sha256], "alone");
      if (!(await isBlobNeeded(trx, sha256))) await platform.files.remove(sha256);
    });
  }
}

async function removeFiles(
  platform: Pick<Platform, "db" | "files">,
  envelopeId: string,
): Promise<void> {
  await removeBlobs(platform, await selectBlobs(platform.db, envelopeId));
}

const DAY_MS = 86_400_000;
const BATCH = 500;

/**
 * Removes files a day after their last row, an expired upload's too; gives their number. The database names
 * them: listing 10⁸ files takes too long.
 * Errors: `RemovalBlockedError` during a backup; the next sweep retries.
 */
export async function sweepFiles(
  platform: Pick<Platform, "db" | "files" | "clock">,
): Promise<number> {
  const now = platform.clock();
  await deleteExpiredUploads(platform.db, now);
  const before = new Date(now.getTime() - DAY_MS);
  let removed = 0;
  for (;;) {
    const batch = await selectLooseFiles(platform.db, { before, limit: BATCH });
    if (batch.length === 0) return removed;
    const unreferenced = new Map(
      (await selectUnreferenced(platform.db, batch)).map((sha256) => [toHex(sha256), sha256]),
    );
    // A file that gained a row meanwhile stays.
    await forgetLooseFiles(platform.db, {
      sha256s: batch.filter((sha256) => !unreferenced.has(toHex(sha256))),
      before,
    });
    for (const sha256 of unreferenced.values())
      removed += await sweepFile(platform, { sha256, before });
  }
}

async function sweepFile(
  platform: Pick<Platform, "db" | "files">,
  { sha256, before }: { sha256: Uint8Array; before: Date },
): Promise<number> {
  return inTransaction(platform.db, async (trx) => {
    await assertRemovalAllowed(trx);
    await lockBlobs(trx, [sha256], "alone");
    // Storing the file again waits for this lock, then rewrites it; a row may refer to it by now.
    if ((await forgetLooseFiles(trx, { sha256s: [sha256], before })) === 0) return 0;
    if ((await selectUnreferenced(trx, [sha256])).length === 0) return 0;
    await platform.files.remove(sha256);
    return 1;
  });
}
