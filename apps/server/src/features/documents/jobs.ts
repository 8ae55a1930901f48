import { toHex } from "@paraphe/kernel/bytes";
import { sha256Schema } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { removeBlobs, removeFiles, sweepFiles } from "./remove-files.ts";
import { blankDocumentNames } from "./store.ts";

/** Removes a purged envelope's bytes. */
const REMOVE_FILES_JOB = "documents.remove-files";
/** Removes the bytes of a template that is gone. */
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

/** Registers this feature's jobs; called before the queue starts. */
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
  // Several times a night: a backup may be made at one of them.
  platform.queue.schedule("documents.sweep-files", "40 3-6 * * *", async () => {
    const removed = await sweepFiles(platform);
    if (removed > 0) platform.log.info({ removed }, "files that nothing refers to were removed");
  });
}

/** Asks, in the transaction that stops referring to stored files, for the removal of those that nothing needs once it commits. */
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

/** Erases a purged envelope's documents, in the transaction of the purge: names now, bytes by a job once it commits. Hashes and sizes stay: the tombstone. */
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
