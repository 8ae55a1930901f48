import type { StorageAnswer } from "@paraphe/contracts";
import type { Platform } from "../../../platform/platform.ts";
import { selectUsedBytes } from "./store.ts";

/** Gives what an account keeps, of what it may. */
export async function readStorage({ db, settings }: Pick<Platform, "db" | "settings">, ownerId: string): Promise<StorageAnswer> {
  return { used_bytes: Math.max(0, await selectUsedBytes(db, ownerId)), quota_bytes: settings.storageQuotaBytes };
}
