import { sql } from "kysely";
import type { BatchPlacement, Problem } from "@paraphe/contracts";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import type { Batch, BatchCounts } from "./domain/batch.ts";
import { failureDetail } from "./domain/failure-detail.ts";
import { BATCH_COLUMNS, batchCounts, readBatchRow } from "./store.ts";

/** A batch as whoever signs it needs it. */
export type RunningBatch = Batch & {
  readonly mark: unknown;
  readonly evidence: unknown;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

/** Gives a batch that has not ended, and notes that it has begun; null for any other. */
export async function beginBatch(reader: Reader, batchId: string, now: Date): Promise<RunningBatch | null> {
  const row = await reader
    .updateTable("batch_jobs")
    .set((eb) => ({ started_at: eb.fn.coalesce("started_at", eb.val(now)) }))
    .where("id", "=", batchId)
    .where("finished_at", "is", null)
    .returning([...BATCH_COLUMNS, "mark", "evidence", "ip_address", "user_agent"])
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    ...readBatchRow(row),
    mark: row.mark,
    evidence: row.evidence,
    client: { ip: row.ip_address ?? "", userAgent: row.user_agent ?? "" },
  };
}

export type ClaimedItem = {
  readonly id: string;
  readonly name: string;
  readonly placement: BatchPlacement | null;
  readonly sourceSha256: Uint8Array;
  /** When its corrected copy was accepted, after it had failed without; null where it was not. */
  readonly copyAcceptedAt: Date | null;
  /** It was accepted although it looks otherwise than the file. */
  readonly copyMayDiffer: boolean;
};

/** Which files of a batch are taken: the first of it, so many at most; or those alone of these ids. */
export type Claim = { readonly batchId: string; readonly most: number; readonly among?: readonly string[] };

/** Units: seconds. Whoever works longer says so before (`renewClaims`); whoever has died does not. */
const CLAIM_S = 6;

/**
 * Takes the next files that nobody signs, for some seconds: a process that dies gives them back then. No transaction is open while they are signed.
 * None when there is none, or the batch was cancelled.
 */
export async function claimItems(reader: Reader, { batchId, most, among }: Claim): Promise<readonly ClaimedItem[]> {
  const those = among === undefined ? sql`` : sql`and i.id = any(${sql.val([...among])}::uuid[])`;
  const { rows } = await sql<ClaimedRow>`
    with taken as (
      update batch_items set taken_until = now() + make_interval(secs => ${CLAIM_S}) where id in (
        select i.id from batch_items i join batch_jobs j on j.id = i.job_id
        where i.job_id = ${batchId}::uuid and i.status = 'queued' and j.cancelled_at is null and (i.taken_until is null or i.taken_until <= now()) ${those}
        order by i.position limit ${most} for update of i skip locked)
      returning id, name, placement, source_sha256, copy_accepted_at, copy_may_differ, position
    )
    select id, name, placement, source_sha256, copy_accepted_at, copy_may_differ from taken order by position
  `.execute(reader);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    placement: row.placement,
    sourceSha256: row.source_sha256,
    copyAcceptedAt: row.copy_accepted_at,
    copyMayDiffer: row.copy_may_differ,
  }));
}

/** Keeps files for those who still sign them. */
export async function renewClaims(reader: Reader, ids: readonly string[]): Promise<void> {
  await sql`
    update batch_items set taken_until = now() + make_interval(secs => ${CLAIM_S})
    where id = any(${sql.val([...ids])}::uuid[]) and status = 'queued'`.execute(reader);
}

/** Gives files back that were not signed. */
export async function releaseClaims(reader: Reader, ids: readonly string[]): Promise<void> {
  await sql`
    update batch_items set taken_until = null
    where id = any(${sql.val([...ids])}::uuid[]) and status = 'queued' and taken_until is not null`.execute(reader);
}

/** Gives those of these files that still wait, and locks them: what was made of another is thrown away. */
export async function holdQueued(trx: Transaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from batch_items where id = any(${sql.val([...ids])}::uuid[]) and status = 'queued' order by id for update`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

type ClaimedRow = {
  readonly id: string;
  readonly name: string;
  readonly placement: BatchPlacement | null;
  readonly source_sha256: Uint8Array;
  readonly copy_accepted_at: Date | null;
  readonly copy_may_differ: boolean;
};

export type DoneItem = { readonly id: string; readonly envelopeId: string; readonly sha256: Uint8Array; readonly sizeBytes: number };

/** Ends files that are signed, in one statement. */
export async function completeItems(trx: Transaction, items: readonly DoneItem[], now: Date): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ id, envelopeId, sha256, sizeBytes }) => ({
    id,
    envelope_id: envelopeId,
    size: sizeBytes,
    sha256: Buffer.from(sha256).toString("hex"),
  }));
  await sql`
    update batch_items set status = 'done', detail = null, failure_code = null, source_sha256 = null, envelope_id = done.envelope_id,
      signed_sha256 = decode(done.sha256, 'hex'), signed_size = done.size, ended_at = ${now}::timestamptz, taken_until = null
    from json_to_recordset(${JSON.stringify(rows)}::json) as done (id uuid, envelope_id uuid, sha256 text, size bigint)
    where batch_items.id = done.id
  `.execute(trx);
}

export type FailedItem = { readonly id: string; readonly problem: Problem; readonly now: Date };

/** Ends a file that cannot be signed; one that has ended otherwise since stays as it is. */
export async function failItem(reader: Reader, item: FailedItem): Promise<void> {
  await reader
    .updateTable("batch_items")
    .set({ status: "failed", detail: failureDetail(item.problem), failure_code: item.problem.code, ended_at: item.now, taken_until: null })
    .where("id", "=", item.id)
    .where("status", "=", "queued")
    .execute();
}

/** Counts a try that failed for no reason of the file's that is known; gives how many there were. */
export async function countFailedTry(reader: Reader, itemId: string): Promise<number> {
  const row = await reader
    .updateTable("batch_items")
    .set((eb) => ({ failed_tries: eb("failed_tries", "+", 1) }))
    .where("id", "=", itemId)
    .returning("failed_tries")
    .executeTakeFirst();
  return row?.failed_tries ?? 0;
}

/** A batch that has just ended, with what became of its files. */
export type EndedBatch = Batch & { readonly finishedAt: Date; readonly counts: BatchCounts };

/** Ends a batch none of whose files waits any more; null when one does, and for a batch that had ended: nobody ends it twice. */
export async function finishBatch(reader: Reader, batchId: string, now: Date): Promise<EndedBatch | null> {
  const row = await reader
    .updateTable("batch_jobs")
    .set({ finished_at: now })
    .where("id", "=", batchId)
    .where("finished_at", "is", null)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("batch_items").select("id").whereRef("job_id", "=", "batch_jobs.id").where("status", "=", "queued"))),
    )
    .returning(BATCH_COLUMNS)
    .returning(batchCounts("batch_jobs").as("counts"))
    .executeTakeFirst();
  return row === undefined ? null : { ...readBatchRow(row), finishedAt: now, counts: row.counts };
}

/** Says whether a batch was cancelled. */
export async function isCancelled(reader: Reader, batchId: string): Promise<boolean> {
  const row = await reader.selectFrom("batch_jobs").select("cancelled_at").where("id", "=", batchId).executeTakeFirst();
  return row === undefined || row.cancelled_at !== null;
}

/** Gives the batches that have not ended, the oldest first. */
export async function selectUnfinished(reader: Reader): Promise<readonly string[]> {
  const rows = await reader.selectFrom("batch_jobs").select("id").where("finished_at", "is", null).orderBy("created_at").execute();
  return rows.map((row) => row.id);
}

/** Gives batches that ended before that moment. */
export async function selectEndedBefore(reader: Reader, before: Date, limit: number): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("batch_jobs")
    .select("id")
    .where("finished_at", "<", before)
    .orderBy("finished_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Gives the batches of an account. */
export async function selectOwned(reader: Reader, ownerId: string): Promise<readonly string[]> {
  const rows = await reader.selectFrom("batch_jobs").select("id").where("owner_id", "=", ownerId).orderBy("created_at").execute();
  return rows.map((row) => row.id);
}

/** Deletes a batch; gives the files it alone may have kept. What is being signed of it finds nothing to write. */
export async function deleteBatch(trx: Transaction, batchId: string): Promise<readonly Uint8Array[]> {
  const rows = await trx.deleteFrom("batch_items").where("job_id", "=", batchId).returning(["source_sha256", "signed_sha256"]).execute();
  await trx.deleteFrom("batch_jobs").where("id", "=", batchId).execute();
  return rows.flatMap((row) => [row.source_sha256, row.signed_sha256].filter((sha256) => sha256 !== null));
}
