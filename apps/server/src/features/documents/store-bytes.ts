import { failure, problem, type Result, success } from "@paraphe/contracts";
import { StorageFullError } from "../../platform/files/file-store.ts";
import type { Platform } from "../../platform/platform.ts";

/**
 * Puts files in storage, durably, before a transaction refers to them.
 * Errors: `storage_full`.
 */
export async function storeBytes(platform: Pick<Platform, "files">, files: readonly Uint8Array[]): Promise<Result<readonly Uint8Array[]>> {
  try {
    return success(await Promise.all(files.map((bytes) => platform.files.put(bytes))));
  } catch (error) {
    if (error instanceof StorageFullError) return failure(problem("storage_full"));
    throw new Error("Files could not be stored", { cause: error });
  }
}
