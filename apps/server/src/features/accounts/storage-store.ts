import { sql } from "kysely";
import { type Result, type StorageAnswer, failure, problem, success } from "@paraphe/contracts";
import { formatFileSize } from "@paraphe/kernel/french-numbers";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inParallel } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";

export type Room = { readonly ownerId: string; readonly bytes: number };

/**
 * Checks the quota before an upload is read.
 * Errors: `storage_quota_reached`.
 * Source: RFC 4331 §6; RFC 4918 §11.5 (507).
 */
export async function checkRoom(
  platform: Pick<Platform, "db" | "settings">,
  room: Room,
): Promise<Result<null>> {
  const { storageQuotaBytes } = platform.settings;
  if (storageQuotaBytes === null || isFarBelow(room, storageQuotaBytes)) return success(null);
  return checkQuota(platform.db, storageQuotaBytes, room);
}

/** Each account's bytes as last read; the oldest entry is removed first. */
const lastUsed = new Map<string, { readonly usedBytes: number; readonly at: number }>();
const MOST_KNOWN = 10_000;
const KNOWN_FOR_MS = 60_000;

/** Half the quota was free a moment ago; `takeRoom` decides. */
function isFarBelow({ ownerId, bytes }: Room, quotaBytes: number): boolean {
  const known = lastUsed.get(ownerId);
  return (
    known !== undefined &&
    performance.now() - known.at < KNOWN_FOR_MS &&
    known.usedBytes + bytes <= quotaBytes / 2
  );
}

function noteUsed(ownerId: string, usedBytes: number): void {
  lastUsed.delete(ownerId);
  const oldest = lastUsed.size < MOST_KNOWN ? undefined : lastUsed.keys().next().value;
  if (oldest !== undefined) lastUsed.delete(oldest);
  lastUsed.set(ownerId, { usedBytes, at: performance.now() });
}

/**
 * Checks in the upload's transaction, so that parallel uploads stay within the quota. A signature
 * may always grow a file.
 */
export async function takeRoom(
  trx: Transaction,
  { settings }: Pick<Platform, "settings">,
  room: Room,
): Promise<Result<null>> {
  if (settings.storageQuotaBytes === null) return success(null);
  const { fits } = await inParallel({
    locked: lockRoom(trx, room.ownerId),
    fits: checkQuota(trx, settings.storageQuotaBytes, room),
  });
  return fits;
}

async function checkQuota(
  reader: Reader,
  quotaBytes: number,
  { ownerId, bytes }: Room,
): Promise<Result<null>> {
  const usedBytes = await selectUsedBytes(reader, ownerId);
  noteUsed(ownerId, usedBytes);
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

export async function selectUsedBytes(reader: Reader, ownerId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from storage_changes where owner_id = ${ownerId}::uuid`.execute(
    reader,
  );
  return rows[0]?.bytes ?? 0;
}

/** Uploads of one account wait for each other; signing does not. */
async function lockRoom(trx: Transaction, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('storage:' || ${ownerId}, 0))`.execute(
    trx,
  );
}

async function foldChanges(reader: Reader): Promise<void> {
  await sql`
    with gone as (
      delete from storage_changes where owner_id in (select owner_id from storage_changes where not folded) returning owner_id, bytes
    )
    insert into storage_changes (owner_id, bytes, folded) select owner_id, sum(bytes), true from gone group by owner_id`.execute(
    reader,
  );
}
