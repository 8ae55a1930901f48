import { toHex } from "@paraphe/kernel/bytes";
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

/** Removes stored files, but for those that an envelope or a template needs. May run twice. Errors: `RemovalBlockedError` while a backup is made: another time. */
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

/** Removes the stored files of a purged envelope, but for those that another envelope or a template shares. May run twice. */
export async function removeFiles(
  platform: Pick<Platform, "db" | "files">,
  envelopeId: string,
): Promise<void> {
  await removeBlobs(platform, await selectBlobs(platform.db, envelopeId));
}

const DAY_MS = 86_400_000;
const BATCH = 500;

/**
 * Removes files that no row refers to, a day after they were stored or lost their last row: what a crash, a refusal or a removed document left. Gives how many.
 * Errors: `RemovalBlockedError` while a backup is made: the next sweep does it.
 * It starts from what the database says of them: a store of a hundred million files is never listed.
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
      (await selectUnreferenced(platform.db, batch)).map((sha256) => [toHex(sha256), sha256]),
    );
    // One that lost its row since has another time by now, and stays.
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
    // Whoever stores the file again waits here for its removal, and writes it anew; a row may refer to it since.
    if ((await forgetLooseFiles(trx, { sha256s: [sha256], before })) === 0) return 0;
    if ((await selectUnreferenced(trx, [sha256])).length === 0) return 0;
    await platform.files.remove(sha256);
    return 1;
  });
}
