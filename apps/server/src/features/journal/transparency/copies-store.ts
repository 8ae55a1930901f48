import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";

/** How far a place outside has the checkpoints. `size`: leaves of the newest that is there. `failingSince`, `fault`: while it fails; `triedAt`: then, the last time. */
export type CopyState = {
  readonly size: number;
  readonly copiedAt: Date | null;
  readonly failingSince: Date | null;
  readonly triedAt: Date | null;
  readonly fault: string | null;
  /** Of mail: the last message. */
  readonly noticeId: string | null;
};

const NOTHING_YET: CopyState = { size: 0, copiedAt: null, failingSince: null, triedAt: null, fault: null, noticeId: null };

const COLUMNS = sql`size, copied_at as "copiedAt", failing_since as "failingSince", tried_at as "triedAt", fault, notice_id as "noticeId"`;

export async function selectCopyState(reader: Reader, target: string): Promise<CopyState> {
  const { rows } = await sql<CopyState>`select ${COLUMNS} from transparency_copies where target = ${target}`.execute(reader);
  return rows[0] ?? NOTHING_YET;
}

/** The same, kept from the other processes until the transaction ends. */
export async function holdCopyState(trx: Transaction, target: string): Promise<CopyState> {
  await sql`insert into transparency_copies (target) values (${target}) on conflict do nothing`.execute(trx);
  const { rows } = await sql<CopyState>`select ${COLUMNS} from transparency_copies where target = ${target} for update`.execute(trx);
  return rows[0] ?? NOTHING_YET;
}

export type CopyMade = { readonly target: string; readonly size: number; readonly at: Date; readonly noticeId?: string };

/** Notes that a place has the checkpoints up to this size. */
export async function recordCopy(reader: Reader, { target, size, at, noticeId = undefined }: CopyMade): Promise<void> {
  await sql`
    insert into transparency_copies (target, size, copied_at, notice_id) values (${target}, ${size}, ${at}, ${noticeId ?? null}::uuid)
    on conflict (target) do update set size = excluded.size, copied_at = excluded.copied_at, notice_id = excluded.notice_id`.execute(
    reader,
  );
}

/** Notes that a place could not be reached, or takes nothing. */
export async function recordCopyFault(
  reader: Reader,
  of: { readonly target: string; readonly fault: string; readonly at: Date },
): Promise<void> {
  await sql`
    insert into transparency_copies (target, failing_since, tried_at, fault) values (${of.target}, ${of.at}, ${of.at}, ${of.fault})
    on conflict (target) do update set failing_since = coalesce(transparency_copies.failing_since, excluded.failing_since),
      tried_at = excluded.tried_at, fault = excluded.fault`.execute(reader);
}

/** Notes that a place does not fail any more. */
export async function endCopyFault(reader: Reader, target: string): Promise<void> {
  await sql`update transparency_copies set failing_since = null, tried_at = null, fault = null where target = ${target}`.execute(reader);
}

/** `waiting`: heads that no checkpoint covers; `lastAt`: of the last checkpoint. */
export async function selectLogProgress(reader: Reader): Promise<{ readonly waiting: number; readonly lastAt: Date | null }> {
  const { rows } = await sql<{ waiting: number; lastAt: Date | null }>`
    select (select count(*) from transparency_due) + coalesce((select max(leaf_index) + 1 from transparency_leaves), 0)
        - coalesce((select max(size) from transparency_checkpoints), 0) as waiting,
      (select at from transparency_checkpoints order by number desc limit 1) as "lastAt"`.execute(reader);
  return rows[0] ?? { waiting: 0, lastAt: null };
}

/** Gives how many checkpoints are of more leaves than this. */
export async function countCheckpointsAfter(reader: Reader, size: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from transparency_checkpoints where size > ${size}`.execute(
    reader,
  );
  return rows[0]?.count ?? 0;
}
