import { failure, type Result, success } from "@paraphe/contracts";
import { inTransaction } from "../../../platform/database/in-transaction.ts";
import type { Platform } from "../../../platform/platform.ts";
import { dropBlobs, storeBytes } from "../../documents/public.ts";

/**
 * Puts one file of a request in storage, and its hash among what was kept.
 * Errors: `storage_full`.
 */
export async function keepFile(
  platform: Pick<Platform, "files">,
  { bytes, kept }: { readonly bytes: Uint8Array; readonly kept: Uint8Array[] },
): Promise<Result<Uint8Array>> {
  const stored = await storeBytes(platform, [bytes]);
  if (!stored.ok) return failure(stored.error);
  const sha256 = stored.value[0] as Uint8Array;
  kept.push(sha256);
  return success(sha256);
}

/** Removes files of a request that came to nothing, but for those that something else needs. What this cannot do, the sweep does. */
export async function letGoOfFiles(platform: Pick<Platform, "db" | "queue" | "log">, kept: readonly Uint8Array[]): Promise<void> {
  await inTransaction(platform.db, (trx) => dropBlobs(trx, platform, kept)).catch((error: unknown) => {
    platform.log.warn({ error }, "the files of a refused request are left to the sweep");
  });
}
