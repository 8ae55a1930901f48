import { sha256Schema } from "@paraphe/contracts";
import * as z from "zod/mini";
import type { Platform } from "../../platform/platform.ts";
import { removeBlobs } from "./remove-blobs.ts";
import { removeFiles } from "./remove-files.ts";
import { sweepFiles } from "./sweep-files.ts";

/** Removes a purged envelope's bytes. */
export const REMOVE_FILES_JOB = "documents.remove-files";
/** Removes the bytes of a template that is gone. */
export const REMOVE_BLOBS_JOB = "documents.remove-blobs";
const RETRIES = { concurrency: 1, retryLimit: 20, retryDelayS: 30, retryDelayMaxS: 3_600, expireInS: 300 } as const;
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
