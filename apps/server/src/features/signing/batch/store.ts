import { toHex } from "@paraphe/kernel/bytes";
import type { BatchPlacement, Problem } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import {
  type Batch,
  type BatchCounts,
  type BatchItem,
  type BatchSigner,
  failureDetail,
  type StoredItemStatus,
} from "./domain/batch.ts";

const BATCH_COLUMNS = [
  "id",
  "owner_id",
  "title",
  "signer",
  "placement",
  "if_fixable",
  "created_at",
  "started_at",
  "cancelled_at",
  "finished_at",
] as const;

type BatchRow = {
  readonly id: string;
  readonly owner_id: string;
  readonly title: string | null;
  readonly signer: unknown;
  readonly placement: unknown;
  readonly if_fixable: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly finished_at: Date | null;
};

function readBatchRow(row: BatchRow): Batch {
  return {
    id: row.id,
    ownerId: row.owner_id,
    title: row.title,
    signer: row.signer as BatchSigner,
    placement: row.placement as BatchPlacement,
    ifFixable: row.if_fixable as Batch["ifFixable"],
    createdAt: row.created_at,
    startedAt: row.started_at,
    cancelledAt: row.cancelled_at,
    finishedAt: row.finished_at,
  };
}

export async function selectBatch(
  reader: Reader,
  of: { readonly id: string; readonly ownerId: string },
): Promise<Batch | null> {
  const row = await reader
    .selectFrom("batch_jobs")
    .select(BATCH_COLUMNS)
    .where("id", "=", of.id)
    .where("owner_id", "=", of.ownerId)
    .executeTakeFirst();
  return row === undefined ? null : readBatchRow(row);
}

/** Every change of a batch takes this lock first. */
export async function lockBatch(
  trx: Transaction,
  of: { readonly id: string; readonly ownerId: string },
): Promise<Batch | null> {
  const row = await trx
    .selectFrom("batch_jobs")
    .select(BATCH_COLUMNS)
    .where("id", "=", of.id)
    .where("owner_id", "=", of.ownerId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : readBatchRow(row);
}

export async function selectItems(reader: Reader, batchId: string): Promise<readonly BatchItem[]> {
  const rows = await reader
    .selectFrom("batch_items")
    .select([
      "id",
      "position",
      "name",
      "status",
      "detail",
      "failure_code",
      "envelope_id",
      "signed_sha256",
      "signed_size",
      "ended_at",
    ])
    .where("job_id", "=", batchId)
    .orderBy("position")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    position: row.position,
    name: row.name,
    status: row.status as StoredItemStatus,
    detail: row.detail,
    failureCode: row.failure_code,
    envelopeId: row.envelope_id,
    signed:
      row.signed_sha256 === null
        ? null
        : { sha256: row.signed_sha256, sizeBytes: Number(row.signed_size) },
    endedAt: row.ended_at,
  }));
}

/** Gives a file that failed for want of an accepted copy, else null. */
export async function selectSource(
  reader: Reader,
  { batchId, position }: { readonly batchId: string; readonly position: number },
): Promise<{ readonly name: string; readonly sha256: Uint8Array } | null> {
  const row = await reader
    .selectFrom("batch_items")
    .select(["name", "source_sha256"])
    .where("job_id", "=", batchId)
    .where("position", "=", position)
    .where("status", "=", "failed")
    .where("failure_code", "in", COPY_NOT_ACCEPTED)
    .executeTakeFirst();
  return row === undefined || row.source_sha256 === null
    ? null
    : { name: row.name, sha256: row.source_sha256 };
}

const COPY_NOT_ACCEPTED = ["copy_to_accept", "copy_differs"];

const batchCounts = (
  alias: "j" | "batch_jobs",
) => sql<BatchCounts>`(select json_build_object('total', count(*),
  'done', count(*) filter (where i.status = 'done'), 'failed', count(*) filter (where i.status = 'failed'),
  'cancelled', count(*) filter (where i.status = 'cancelled')) from batch_items i where i.job_id = ${sql.ref(`${alias}.id`)})`;

export type CountedBatch = { readonly batch: Batch; readonly counts: BatchCounts };

export async function selectBatches(
  reader: Reader,
  list: { readonly ownerId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly rows: readonly CountedBatch[] }> {
  const { count } = await reader
    .selectFrom("batch_jobs")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("owner_id", "=", list.ownerId)
    .executeTakeFirstOrThrow();
  const rows = await reader
    .selectFrom("batch_jobs as j")
    .select(BATCH_COLUMNS.map((column) => `j.${column}` as const))
    .select(batchCounts("j").as("counts"))
    .where("j.owner_id", "=", list.ownerId)
    .orderBy("j.created_at", "desc")
    .orderBy("j.id", "desc")
    .limit(list.limit)
    .offset(list.offset)
    .execute();
  return {
    count: Number(count),
    rows: rows.map((row) => ({ batch: readBatchRow(row), counts: row.counts })),
  };
}

type BatchToInsert = Pick<
  Batch,
  "id" | "ownerId" | "title" | "signer" | "placement" | "ifFixable" | "createdAt"
> & {
  readonly mark: object;
  readonly evidence: object;
  readonly consentVersion: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly items: readonly ItemToInsert[];
};
type ItemToInsert = {
  readonly id: string;
  readonly name: string;
  readonly placement: BatchPlacement | null;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

export async function insertBatch(trx: Transaction, batch: BatchToInsert): Promise<void> {
  await trx
    .insertInto("batch_jobs")
    .values({
      id: batch.id,
      owner_id: batch.ownerId,
      title: batch.title,
      signer: JSON.stringify(batch.signer),
      placement: JSON.stringify(batch.placement),
      mark: JSON.stringify(batch.mark),
      evidence: JSON.stringify(batch.evidence),
      if_fixable: batch.ifFixable,
      consent_version: batch.consentVersion,
      ip_address: batch.ip,
      user_agent: batch.userAgent,
      created_at: batch.createdAt,
    })
    .execute();
  await trx
    .insertInto("batch_items")
    .values(
      batch.items.map((item, index) => ({
        id: item.id,
        job_id: batch.id,
        position: index,
        name: item.name,
        placement: item.placement === null ? null : JSON.stringify(item.placement),
        source_sha256: item.sha256,
        source_size: item.sizeBytes,
        status: "queued",
      })),
    )
    .execute();
}

/** Leaves files being signed; gives the number cancelled. */
export async function cancelQueued(trx: Transaction, batchId: string, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update batch_items set status = 'cancelled', ended_at = ${now}::timestamptz
    where id in (select id from batch_items where job_id = ${batchId}::uuid and status = 'queued'
      and (taken_until is null or taken_until <= now()) for update skip locked)
  `.execute(trx);
  return Number(numAffectedRows ?? 0n);
}

export async function markCancelled(trx: Transaction, batchId: string, now: Date): Promise<void> {
  await trx
    .updateTable("batch_jobs")
    .set({ cancelled_at: now })
    .where("id", "=", batchId)
    .where("cancelled_at", "is", null)
    .execute();
}

type Requeued = {
  readonly positions: readonly number[] | null;
  readonly copiesAcceptedAt: Date | null;
};

export async function requeueItems(
  trx: Transaction,
  batchId: string,
  { positions, copiesAcceptedAt }: Requeued,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable("batch_items")
    .set({ status: "queued", detail: null, failure_code: null, failed_tries: 0, ended_at: null })
    // Copies are accepted for files that wait for it alone.
    .$if(copiesAcceptedAt !== null, (query) =>
      query.set({
        copy_accepted_at: sql`case when failure_code = any(${sql.val(COPY_NOT_ACCEPTED)}) then ${copiesAcceptedAt}::timestamptz
          else copy_accepted_at end`,
        copy_may_differ: sql`copy_may_differ or failure_code is not distinct from 'copy_differs'`,
      }),
    )
    .where("job_id", "=", batchId)
    .where("status", "in", ["failed", "cancelled"])
    .where("source_sha256", "is not", null)
    .$if(positions !== null, (query) => query.where("position", "in", [...(positions ?? []), -1]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The archive changes, so its manifest is cleared. */
export async function reopenBatch(trx: Transaction, batchId: string): Promise<void> {
  await trx
    .updateTable("batch_jobs")
    .set({ finished_at: null, cancelled_at: null, manifest: null, manifest_key: null })
    .where("id", "=", batchId)
    .execute();
}

export async function selectManifest(
  reader: Reader,
  batchId: string,
  key: string,
): Promise<string | null> {
  const row = await reader
    .selectFrom("batch_jobs")
    .select("manifest")
    .where("id", "=", batchId)
    .where("manifest_key", "=", key)
    .executeTakeFirst();
  return row?.manifest ?? null;
}

export async function saveManifest(
  reader: Reader,
  saved: { readonly batchId: string; readonly key: string; readonly text: string },
) {
  await reader
    .updateTable("batch_jobs")
    .set({ manifest: saved.text, manifest_key: saved.key })
    .where("id", "=", saved.batchId)
    .execute();
}

export async function selectPurged(
  reader: Reader,
  envelopeIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (envelopeIds.length === 0) return new Set();
  const rows = await reader
    .selectFrom("envelopes")
    .select("id")
    .where("id", "in", [...envelopeIds])
    .where("purged_at", "is not", null)
    .execute();
  return new Set(rows.map((row) => row.id));
}

export type RunningBatch = Batch & {
  readonly mark: unknown;
  readonly evidence: unknown;
  readonly client: { readonly ip: string; readonly userAgent: string };
};

/** Gives null once the batch has ended. */
export async function beginBatch(
  reader: Reader,
  batchId: string,
  now: Date,
): Promise<RunningBatch | null> {
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
  /** Null unless its copy was accepted after a failure. */
  readonly copyAcceptedAt: Date | null;
  /** The copy was accepted although it looks different. */
  readonly copyMayDiffer: boolean;
};

/** `ids` null: the first `most` files. */
type Claim = {
  readonly batchId: string;
  readonly most: number;
  readonly among?: readonly string[];
};

/** Seconds. `renewClaims` extends a claim; a lost process's expires. */
const CLAIM_S = 6;

/** Claims files without an open transaction; none of a cancelled batch. */
export async function claimItems(
  reader: Reader,
  { batchId, most, among }: Claim,
): Promise<readonly ClaimedItem[]> {
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

export async function renewClaims(reader: Reader, ids: readonly string[]): Promise<void> {
  await sql`
    update batch_items set taken_until = now() + make_interval(secs => ${CLAIM_S})
    where id = any(${sql.val([...ids])}::uuid[]) and status = 'queued'`.execute(reader);
}

export async function releaseClaims(reader: Reader, ids: readonly string[]): Promise<void> {
  await sql`
    update batch_items set taken_until = null
    where id = any(${sql.val([...ids])}::uuid[]) and status = 'queued' and taken_until is not null`.execute(
    reader,
  );
}

/** Locks files still queued; results for others are discarded. */
export async function lockQueued(
  trx: Transaction,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from batch_items where id = any(${sql.val([...ids])}::uuid[]) and status = 'queued' order by id for update`.execute(
    trx,
  );
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

type DoneItem = {
  readonly id: string;
  readonly envelopeId: string;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};

export async function completeItems(
  trx: Transaction,
  items: readonly DoneItem[],
  now: Date,
): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ id, envelopeId, sha256, sizeBytes }) => ({
    id,
    envelope_id: envelopeId,
    size: sizeBytes,
    sha256: toHex(sha256),
  }));
  await sql`
    update batch_items set status = 'done', detail = null, failure_code = null, source_sha256 = null, envelope_id = done.envelope_id,
      signed_sha256 = decode(done.sha256, 'hex'), signed_size = done.size, ended_at = ${now}::timestamptz, taken_until = null
    from json_to_recordset(${JSON.stringify(rows)}::json) as done (id uuid, envelope_id uuid, sha256 text, size bigint)
    where batch_items.id = done.id
  `.execute(trx);
}

type FailedItem = { readonly id: string; readonly problem: Problem; readonly now: Date };

/** A file that has ended does not fail again. */
export async function failItem(reader: Reader, item: FailedItem): Promise<void> {
  await reader
    .updateTable("batch_items")
    .set({
      status: "failed",
      detail: failureDetail(item.problem),
      failure_code: item.problem.code,
      ended_at: item.now,
      taken_until: null,
    })
    .where("id", "=", item.id)
    .where("status", "=", "queued")
    .execute();
}

export async function countFailedTry(reader: Reader, itemId: string): Promise<number> {
  const row = await reader
    .updateTable("batch_items")
    .set((eb) => ({ failed_tries: eb("failed_tries", "+", 1) }))
    .where("id", "=", itemId)
    .returning("failed_tries")
    .executeTakeFirst();
  return row?.failed_tries ?? 0;
}

export type EndedBatch = Batch & { readonly finishedAt: Date; readonly counts: BatchCounts };

/** Gives null while files are queued, or once the batch has ended. */
export async function finishBatch(
  reader: Reader,
  batchId: string,
  now: Date,
): Promise<EndedBatch | null> {
  const row = await reader
    .updateTable("batch_jobs")
    .set({ finished_at: now })
    .where("id", "=", batchId)
    .where("finished_at", "is", null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("batch_items")
            .select("id")
            .whereRef("job_id", "=", "batch_jobs.id")
            .where("status", "=", "queued"),
        ),
      ),
    )
    .returning(BATCH_COLUMNS)
    .returning(batchCounts("batch_jobs").as("counts"))
    .executeTakeFirst();
  return row === undefined ? null : { ...readBatchRow(row), finishedAt: now, counts: row.counts };
}

export async function isCancelled(reader: Reader, batchId: string): Promise<boolean> {
  const row = await reader
    .selectFrom("batch_jobs")
    .select("cancelled_at")
    .where("id", "=", batchId)
    .executeTakeFirst();
  return row === undefined || row.cancelled_at !== null;
}

export async function selectUnfinished(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("batch_jobs")
    .select("id")
    .where("finished_at", "is", null)
    .orderBy("created_at")
    .execute();
  return rows.map((row) => row.id);
}

export async function selectEndedBefore(
  reader: Reader,
  before: Date,
  limit: number,
): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("batch_jobs")
    .select("id")
    .where("finished_at", "<", before)
    .orderBy("finished_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function selectOwned(reader: Reader, ownerId: string): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("batch_jobs")
    .select("id")
    .where("owner_id", "=", ownerId)
    .orderBy("created_at")
    .execute();
  return rows.map((row) => row.id);
}

/** Gives the files that only this batch may need. Files being signed find no row. */
export async function deleteBatch(
  trx: Transaction,
  batchId: string,
): Promise<readonly Uint8Array[]> {
  const rows = await trx
    .deleteFrom("batch_items")
    .where("job_id", "=", batchId)
    .returning(["source_sha256", "signed_sha256"])
    .execute();
  await trx.deleteFrom("batch_jobs").where("id", "=", batchId).execute();
  return rows.flatMap((row) =>
    [row.source_sha256, row.signed_sha256].filter((sha256) => sha256 !== null),
  );
}
