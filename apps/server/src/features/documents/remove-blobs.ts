import { assertRemovalAllowed } from "../../platform/backup/hold-removals.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { isBlobNeeded, lockBlobs } from "./store.ts";

/** Removes stored files, but for those that an envelope or a template needs. May run twice. Errors: `RemovalHeldError` while a backup is made: another time. */
export async function removeBlobs(platform: Pick<Platform, "db" | "files">, sha256s: readonly Uint8Array[]): Promise<void> {
  for (const sha256 of sha256s) {
    await inTransaction(platform.db, async (trx) => {
      await assertRemovalAllowed(trx);
      await lockBlobs(trx, [sha256], "alone");
      if (!(await isBlobNeeded(trx, sha256))) await platform.files.remove(sha256);
    });
  }
}
