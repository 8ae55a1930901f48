import type { Platform } from "../../platform/platform.ts";
import { removeBlobs } from "./remove-blobs.ts";
import { selectBlobs } from "./store.ts";

/** Removes the stored files of a purged envelope, but for those that another envelope or a template shares. May run twice. */
export async function removeFiles(platform: Pick<Platform, "db" | "files">, envelopeId: string): Promise<void> {
  await removeBlobs(platform, await selectBlobs(platform.db, envelopeId));
}
