import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { lockBlobs, selectUnreferenced } from "./store.ts";

const DAY_MS = 86_400_000;
const BATCH = 500;

/** Removes stored files a day old or more that no row refers to: what a crash, a refusal or a removed document left. Gives how many. */
export async function sweepFiles(platform: Pick<Platform, "db" | "files" | "clock">): Promise<number> {
  let removed = 0;
  let batch: Uint8Array[] = [];
  for await (const { sha256, writtenAt } of platform.files.list()) {
    if (platform.clock().getTime() - writtenAt.getTime() < DAY_MS) continue;
    batch.push(sha256);
    if (batch.length < BATCH) continue;
    removed += await sweepBatch(platform, batch);
    batch = [];
  }
  return removed + (await sweepBatch(platform, batch));
}

async function sweepBatch(platform: Pick<Platform, "db" | "files">, batch: readonly Uint8Array[]): Promise<number> {
  if (batch.length === 0) return 0;
  let removed = 0;
  for (const sha256 of await selectUnreferenced(platform.db, batch)) {
    removed += await inTransaction(platform.db, async (trx) => {
      await lockBlobs(trx, [sha256], "alone");
      // Looked at again under the lock: a row may refer to it since.
      if ((await selectUnreferenced(trx, [sha256])).length === 0) return 0;
      await platform.files.remove(sha256);
      return 1;
    });
  }
  return removed;
}
