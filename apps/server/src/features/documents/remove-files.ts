import { assertRemovalAllowed } from "../../platform/backup/block-removals.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  forgetLooseFiles,
  isBlobNeeded,
  lockBlobs,
  selectBlobs,
  selectLooseFiles,
  selectUnreferenced,
} from "./store.ts";

/**
 * Removes stored files that no envelope, template, batch or account needs. Idempotent.
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

/** Removes a purged envelope's files unless shared. Idempotent. */
export async function removeFiles(
  platform: Pick<Platform, "db" | "files">,
  envelopeId: string,
): Promise<void> {
  await removeBlobs(platform, await selectBlobs(platform.db, envelopeId));
}

const DAY_MS = 86_400_000;
const BATCH = 500;

/**
 * Removes files a day after they lost their last row, or were stored without one; gives how many.
 * Reads candidates from the database: listing a store of 10⁸ files takes too long.
 * Errors: `RemovalBlockedError` during a backup; the next sweep retries.
 */
export async function sweepFiles(
  platform: Pick<Platform, "db" | "files" | "clock">,
): Promise<number> {
  const before = new Date(platform.clock().getTime() - DAY_MS);
  let removed = 0;
  for (;;) {
    const batch = await selectLooseFiles(platform.db, { before, limit: BATCH });
    if (batch.length === 0) return removed;
    const unreferenced = new Map(
      (await selectUnreferenced(platform.db, batch)).map((sha256) => [nameOf(sha256), sha256]),
    );
    // A file that lost a row since has a later time, and stays.
    await forgetLooseFiles(platform.db, {
      sha256s: batch.filter((sha256) => !unreferenced.has(nameOf(sha256))),
      before,
    });
    for (const sha256 of unreferenced.values())
      removed += await sweepFile(platform, { sha256, before });
  }
}

const nameOf = (sha256: Uint8Array): string => Buffer.from(sha256).toString("hex");

async function sweepFile(
  platform: Pick<Platform, "db" | "files">,
  { sha256, before }: { sha256: Uint8Array; before: Date },
): Promise<number> {
  return inTransaction(platform.db, async (trx) => {
    await assertRemovalAllowed(trx);
    await lockBlobs(trx, [sha256], "alone");
    // Storing the file again waits on this lock, then rewrites it; a row may refer to it since.
    if ((await forgetLooseFiles(trx, { sha256s: [sha256], before })) === 0) return 0;
    if ((await selectUnreferenced(trx, [sha256])).length === 0) return 0;
    await platform.files.remove(sha256);
    return 1;
  });
}
