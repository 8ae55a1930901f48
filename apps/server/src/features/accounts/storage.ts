import { type Result, type StorageAnswer, failure, problem, success } from "@paraphe/contracts";
import { formatFileSize } from "@paraphe/kernel/french-numbers";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { foldChanges, lockRoom, selectUsedBytes } from "./store.ts";

/** Bytes that an account asks to store. */
export type Room = { readonly ownerId: string; readonly bytes: number };

/**
 * Checks an upload against the account's quota before it is read.
 * Errors: `storage_quota_reached`.
 * Source: RFC 4331 §6; RFC 4918 §11.5 (507).
 */
export async function checkRoom(
  platform: Pick<Platform, "db" | "settings">,
  room: Room,
): Promise<Result<null>> {
  const { storageQuotaBytes } = platform.settings;
  return storageQuotaBytes === null
    ? success(null)
    : checkQuota(platform.db, storageQuotaBytes, room);
}

/**
 * As `checkRoom`, in the upload's transaction, so that parallel uploads cannot exceed the quota.
 * Only uploads are refused: a signature may always make a file grow.
 */
export async function takeRoom(
  trx: Transaction,
  { settings }: Pick<Platform, "settings">,
  room: Room,
): Promise<Result<null>> {
  if (settings.storageQuotaBytes === null) return success(null);
  await lockRoom(trx, room.ownerId);
  return checkQuota(trx, settings.storageQuotaBytes, room);
}

async function checkQuota(
  reader: Reader,
  quotaBytes: number,
  { ownerId, bytes }: Room,
): Promise<Result<null>> {
  const usedBytes = await selectUsedBytes(reader, ownerId);
  if (usedBytes + bytes <= quotaBytes) return success(null);
  const [used, quota, asked] = [usedBytes, quotaBytes, bytes].map(formatFileSize);
  return failure(
    problem("storage_quota_reached", { params: { used, quota, asked } as Record<string, string> }),
  );
}

export async function readStorage(
  { db, settings }: Pick<Platform, "db" | "settings">,
  ownerId: string,
): Promise<StorageAnswer> {
  return {
    used_bytes: Math.max(0, await selectUsedBytes(db, ownerId)),
    quota_bytes: settings.storageQuotaBytes,
  };
}

export function registerStorageJobs(platform: Pick<Platform, "db" | "queue">): void {
  platform.queue.schedule("storage.fold", "27 * * * *", () => foldStorage(platform));
}

export async function foldStorage({ db }: Pick<Platform, "db">): Promise<void> {
  await foldChanges(db);
}
