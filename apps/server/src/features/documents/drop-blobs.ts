import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { REMOVE_BLOBS_JOB } from "./jobs.ts";

/** Asks, in the transaction that stops referring to stored files, for the removal of those that nothing needs once it commits. */
export async function dropBlobs(trx: Transaction, platform: Pick<Platform, "queue">, sha256s: readonly Uint8Array[]): Promise<void> {
  if (sha256s.length === 0) return;
  await platform.queue.enqueue(trx, REMOVE_BLOBS_JOB, { sha256: sha256s.map((sha256) => Buffer.from(sha256).toString("hex")) });
}
