import type { LogEntry } from "@paraphe/contracts";
import type { Subtree, TreeNode } from "@paraphe/proof";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

/** The number is arbitrary; one process appends at a time. */
const LOG_LOCK = 7_372_059;

export type LeafRow = { readonly leafIndex: number; readonly entry: LogEntry };
export type DueRow = {
  readonly number: number;
  readonly entry: LogEntry;
  readonly isEvent: boolean;
  readonly isLogged: boolean;
};
export type CheckpointRow = {
  readonly number: number;
  readonly size: number;
  readonly root: Uint8Array;
  readonly at: Date;
  readonly keyId: string;
  /** Compact JWS. */
  readonly signature: string;
  readonly timestampDer: Uint8Array;
};

export async function lockLog(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOG_LOCK)})`.execute(trx);
}

export async function hasNews(reader: Reader): Promise<boolean> {
  const { rows } = await sql<{ news: boolean }>`
    select exists (select from transparency_due)
      or coalesce((select max(leaf_index) + 1 from transparency_leaves), 0) <> coalesce((select max(size) from transparency_checkpoints), 0) as news
  `.execute(reader);
  return rows[0]?.news ?? false;
}

export async function selectDue(
  trx: Transaction,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly DueRow[]> {
  // Limited before the join: joining the whole list each time is quadratic.
  const { rows } = await sql<{
    number: number;
    envelope_id: string;
    sequence: number;
    head: string;
    isEvent: boolean;
    isLogged: boolean;
  }>`
    with listed as materialized (select number, envelope_id, sequence, head from transparency_due where number > ${after} order by number limit ${limit})
    select d.number, d.envelope_id, d.sequence, encode(d.head, 'hex') as head,
      exists (select from audit_events e where e.envelope_id = d.envelope_id and e.sequence = d.sequence and e.hash = d.head) as "isEvent",
      exists (select from transparency_leaves l where l.envelope_id = d.envelope_id and l.sequence >= d.sequence) as "isLogged"
    from listed d order by d.number`.execute(trx);
  return rows.map(({ number, isEvent, isLogged, ...entry }) => ({
    number,
    isEvent,
    isLogged,
    entry,
  }));
}

/** The database refuses it for a head without a leaf. */
export async function strikeDue(trx: Transaction, numbers: readonly number[]): Promise<void> {
  await sql`delete from transparency_due where number = any(${sql.val([...numbers])}::bigint[])`.execute(
    trx,
  );
}

export async function countLeaves(reader: Reader): Promise<number> {
  const { rows } = await sql<{
    size: number;
  }>`select coalesce(max(leaf_index) + 1, 0) as size from transparency_leaves`.execute(reader);
  return rows[0]?.size ?? 0;
}

/** The database refuses one without an event or out of order, and builds the nodes. */
export async function insertLeaves(trx: Transaction, leaves: readonly LeafRow[]): Promise<void> {
  await sql`
    insert into transparency_leaves (leaf_index, envelope_id, sequence, head)
    select * from unnest(
      ${sql.val(leaves.map(({ leafIndex }) => leafIndex))}::bigint[], ${sql.val(leaves.map(({ entry }) => entry.envelope_id))}::uuid[],
      ${sql.val(leaves.map(({ entry }) => entry.sequence))}::int[], ${sql.val(leaves.map(({ entry }) => Buffer.from(entry.head, "hex")))}::bytea[])
  `.execute(trx);
}

export async function selectNodes(
  reader: Reader,
  subtrees: readonly Subtree[],
): Promise<readonly TreeNode[]> {
  if (subtrees.length === 0) return [];
  const { rows } = await sql<TreeNode>`
    select n.level, n.index, n.hash from unnest(
      ${sql.val(subtrees.map(({ level }) => level))}::smallint[], ${sql.val(subtrees.map(({ index }) => index))}::bigint[]) as asked (level, index)
    join transparency_nodes n on n.level = asked.level and n.index = asked.index
  `.execute(reader);
  return rows;
}

const LEAF = sql`leaf_index as "leafIndex", envelope_id, sequence, encode(head, 'hex') as head`;
type LeafColumns = {
  readonly leafIndex: number;
  readonly envelope_id: string;
  readonly sequence: number;
  readonly head: string;
};
const leafRow = ({ leafIndex, ...entry }: LeafColumns): LeafRow => ({ leafIndex, entry });

export async function selectLeaves(
  reader: Reader,
  indexes: readonly number[],
): Promise<readonly LeafRow[]> {
  if (indexes.length === 0) return [];
  const { rows } = await sql<LeafColumns>`
    select ${LEAF} from transparency_leaves where leaf_index = any(${sql.val([...indexes])}::bigint[])`.execute(
    reader,
  );
  return rows.map(leafRow);
}

export async function selectLeavesBetween(
  reader: Reader,
  from: number,
  to: number,
): Promise<readonly LeafRow[]> {
  const { rows } = await sql<LeafColumns>`
    select ${LEAF} from transparency_leaves where leaf_index >= ${from} and leaf_index < ${to} order by leaf_index`.execute(
    reader,
  );
  return rows.map(leafRow);
}

export async function selectLeavesOf(
  reader: Reader,
  envelopeId: string,
): Promise<readonly LeafRow[]> {
  const { rows } = await sql<LeafColumns>`
    select ${LEAF} from transparency_leaves where envelope_id = ${envelopeId}::uuid order by sequence`.execute(
    reader,
  );
  return rows.map(leafRow);
}

const CHECKPOINT = sql`number, size, root, at, key_id as "keyId", signature, timestamp_der as "timestampDer"`;

export async function insertCheckpoint(trx: Transaction, checkpoint: CheckpointRow): Promise<void> {
  const { number, size, root, at, keyId, signature, timestampDer } = checkpoint;
  await trx
    .insertInto("transparency_checkpoints")
    .values({
      number,
      size,
      root: Buffer.from(root),
      at,
      key_id: keyId,
      signature,
      timestamp_der: Buffer.from(timestampDer),
    })
    .execute();
}

export async function selectLatestCheckpoint(reader: Reader): Promise<CheckpointRow | null> {
  const { rows } =
    await sql<CheckpointRow>`select ${CHECKPOINT} from transparency_checkpoints order by number desc limit 1`.execute(
      reader,
    );
  return rows[0] ?? null;
}

export async function selectCheckpointOfSize(
  reader: Reader,
  size: number,
): Promise<CheckpointRow | null> {
  const { rows } =
    await sql<CheckpointRow>`select ${CHECKPOINT} from transparency_checkpoints where size = ${size}`.execute(
      reader,
    );
  return rows[0] ?? null;
}

export async function hasCheckpointWithout(
  reader: Reader,
  { leafIndex, after }: { readonly leafIndex: number; readonly after: Date },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select at > ${after} as found from transparency_checkpoints where size <= ${leafIndex} order by size desc limit 1`.execute(
    reader,
  );
  return rows[0]?.found === true;
}

export async function selectCheckpoints(
  reader: Reader,
  page: { readonly page: number; readonly pageSize: number },
): Promise<{ readonly count: number; readonly rows: readonly CheckpointRow[] }> {
  const { rows: counted } = await sql<{ count: number }>`
    select coalesce(max(number), 0) as count from transparency_checkpoints`.execute(reader);
  const count = counted[0]?.count ?? 0;
  const { rows } = await sql<CheckpointRow>`
    select ${CHECKPOINT} from transparency_checkpoints where number <= ${count - (page.page - 1) * page.pageSize}
    order by number desc limit ${page.pageSize}`.execute(reader);
  return { count, rows };
}

export async function selectCheckpointsAfter(
  reader: Reader,
  after: { readonly size: number; readonly limit: number },
): Promise<readonly CheckpointRow[]> {
  const { rows } = await sql<CheckpointRow>`
    select ${CHECKPOINT} from transparency_checkpoints where size > ${after.size} order by size limit ${after.limit}`.execute(
    reader,
  );
  return rows;
}

/** `size`: leaves of the newest copy; the other columns are set while it fails. */
export type CopyState = {
  readonly size: number;
  readonly copiedAt: Date | null;
  readonly failingSince: Date | null;
  readonly triedAt: Date | null;
  readonly fault: string | null;
  readonly noticeId: string | null;
};

const NOTHING_YET: CopyState = {
  size: 0,
  copiedAt: null,
  failingSince: null,
  triedAt: null,
  fault: null,
  noticeId: null,
};

const COLUMNS = sql`size, copied_at as "copiedAt", failing_since as "failingSince", tried_at as "triedAt", fault, notice_id as "noticeId"`;

export async function selectCopyState(reader: Reader, target: string): Promise<CopyState> {
  const { rows } =
    await sql<CopyState>`select ${COLUMNS} from transparency_copies where target = ${target}`.execute(
      reader,
    );
  return rows[0] ?? NOTHING_YET;
}

export async function lockCopyState(trx: Transaction, target: string): Promise<CopyState> {
  await sql`insert into transparency_copies (target) values (${target}) on conflict do nothing`.execute(
    trx,
  );
  const { rows } =
    await sql<CopyState>`select ${COLUMNS} from transparency_copies where target = ${target} for update`.execute(
      trx,
    );
  return rows[0] ?? NOTHING_YET;
}

type CopyMade = {
  readonly target: string;
  readonly size: number;
  readonly at: Date;
  readonly noticeId?: string;
};

export async function recordCopy(
  reader: Reader,
  { target, size, at, noticeId = undefined }: CopyMade,
): Promise<void> {
  await sql`
    insert into transparency_copies (target, size, copied_at, notice_id) values (${target}, ${size}, ${at}, ${noticeId ?? null}::uuid)
    on conflict (target) do update set size = excluded.size, copied_at = excluded.copied_at, notice_id = excluded.notice_id`.execute(
    reader,
  );
}

export async function recordCopyFault(
  reader: Reader,
  of: { readonly target: string; readonly fault: string; readonly at: Date },
): Promise<void> {
  await sql`
    insert into transparency_copies (target, failing_since, tried_at, fault) values (${of.target}, ${of.at}, ${of.at}, ${of.fault})
    on conflict (target) do update set failing_since = coalesce(transparency_copies.failing_since, excluded.failing_since),
      tried_at = excluded.tried_at, fault = excluded.fault`.execute(reader);
}

export async function endCopyFault(reader: Reader, target: string): Promise<void> {
  await sql`update transparency_copies set failing_since = null, tried_at = null, fault = null where target = ${target}`.execute(
    reader,
  );
}

/** `waiting`: heads without a checkpoint; `lastAt`: the last checkpoint's. */
export async function selectLogProgress(
  reader: Reader,
): Promise<{ readonly waiting: number; readonly lastAt: Date | null }> {
  const { rows } = await sql<{ waiting: number; lastAt: Date | null }>`
    select (select count(*) from transparency_due) + coalesce((select max(leaf_index) + 1 from transparency_leaves), 0)
        - coalesce((select max(size) from transparency_checkpoints), 0) as waiting,
      (select at from transparency_checkpoints order by number desc limit 1) as "lastAt"`.execute(
    reader,
  );
  return rows[0] ?? { waiting: 0, lastAt: null };
}

export async function countCheckpointsAfter(reader: Reader, size: number): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from transparency_checkpoints where size > ${size}`.execute(reader);
  return rows[0]?.count ?? 0;
}
