import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { dropBlobs } from "../../documents/public.ts";
import { deleteBatch, selectOwned } from "./run-store.ts";

/** Removes a batch and the files that it alone kept; the envelopes it made stay. May run twice. */
export async function removeBatch(platform: Pick<Platform, "db" | "queue">, batchId: string): Promise<void> {
  await inTransaction(platform.db, async (trx) => dropBlobs(trx, platform, await deleteBatch(trx, batchId)));
}

/** Erases the batches of a closed account. May run twice. */
export async function eraseOwnedBatches(platform: Pick<Platform, "db" | "queue">, ownerId: string): Promise<void> {
  for (const batchId of await selectOwned(platform.db, ownerId)) await removeBatch(platform, batchId);
}
