import type { MailingRowState } from "@paraphe/contracts";
import { sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { insertionOf, writeTogether } from "../../../platform/database/in-transaction.ts";
import { isKeyGone } from "../../accounts/public.ts";
import { type MailingPlan, type MailingRow, STOPPED } from "./mailing-lines.ts";

const COUNTED = {
  ready: "ready",
  refused: "refused",
  doubles: "double",
  left: "left",
  sent: "sent",
  failed: "failed",
} as const satisfies Readonly<Record<string, MailingRowState>>;
export type MailingCounts = Readonly<Record<keyof typeof COUNTED | "stopped" | "total", number>>;

export type StoredMailing = {
  readonly id: string;
  readonly owner_id: string;
  readonly holder_id: string;
  readonly template_id: string | null;
  readonly template_name: string;
  readonly file_name: string;
  readonly separator: string;
  readonly encoding: string;
  readonly plan: MailingPlan;
  readonly state: "ready" | "running" | "done";
  readonly paused_until: Date | null;
  readonly pause_detail: string | null;
  readonly program: string | null;
  readonly started_by_key: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly counts: MailingCounts;
};

const IS_STOPPED = sql`r.state = 'left' and r.note = ${sql.lit(STOPPED)}`;
const COUNTS = sql`(select json_build_object('total', count(*),
  'stopped', count(*) filter (where ${IS_STOPPED}), ${sql.join(
    Object.entries(COUNTED).map(
      ([name, state]) => sql`${sql.lit(name)}, count(*) filter (where r.state = ${sql.lit(state)})`,
    ),
  )}) from mailing_rows r where r.mailing_id = m.id)`;

type Key = { readonly id: string; readonly holders?: readonly string[] };

const ofHolders = (holders: readonly string[]) =>
  sql<boolean>`m.holder_id = any(${sql.val([...holders])}::uuid[])`;

/** `locked`: nobody else changes, starts or ends it. */
export async function selectMailing(
  reader: Reader,
  { id, holders }: Key,
  { locked }: { readonly locked: boolean } = { locked: false },
): Promise<StoredMailing | null> {
  const { rows } = await sql<StoredMailing>`
    select m.*, ${COUNTS} as counts from mailings m where m.id = ${id}::uuid
      ${holders === undefined ? sql`` : sql`and ${ofHolders(holders)}`}
      ${locked ? sql`for update of m` : sql``}`.execute(reader);
  return rows[0] ?? null;
}

export async function selectMailings(
  reader: Reader,
  list: { readonly holders: readonly string[]; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly rows: readonly StoredMailing[] }> {
  const { rows } = await sql<StoredMailing>`
    select m.*, ${COUNTS} as counts from mailings m where ${ofHolders(list.holders)}
    order by m.created_at desc, m.id desc limit ${list.limit} offset ${list.offset}`.execute(
    reader,
  );
  const { count } = await reader
    .selectFrom("mailings as m")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where(ofHolders(list.holders))
    .executeTakeFirstOrThrow();
  return { count: Number(count), rows };
}

type NewMailing = Pick<
  StoredMailing,
  | "id"
  | "owner_id"
  | "holder_id"
  | "template_id"
  | "template_name"
  | "file_name"
  | "separator"
  | "encoding"
> & { readonly plan: MailingPlan; readonly created_at: Date };

/** Files that an account prepares at once; older ones go. */
const PREPARED = 20;

export async function insertMailing(
  trx: Transaction,
  { plan, ...mailing }: NewMailing,
  rows: readonly MailingRow[],
): Promise<void> {
  await sql`
    delete from mailings where id in (select id from mailings
      where holder_id = ${mailing.holder_id}::uuid and state = 'ready'
      order by created_at desc, id desc offset ${PREPARED - 1})`.execute(trx);
  await trx
    .insertInto("mailings")
    .values({ ...mailing, plan: JSON.stringify(plan) })
    .execute();
  await writeTogether(trx, [
    insertionOf(
      { into: "mailing_rows" },
      rows.map(({ column, envelopeId, cells, ...row }) => ({
        mailing_id: mailing.id,
        ...row,
        cells: cells as unknown as string,
        fault_column: column,
        envelope_id: envelopeId,
      })),
    ),
  ]);
}

/** A draft made by the former plan does not leave. */
export async function updatePlan(trx: Transaction, id: string, plan: MailingPlan): Promise<void> {
  await trx
    .updateTable("mailing_rows")
    .set({ envelope_id: null })
    .where("mailing_id", "=", id)
    .where("state", "<>", "sent")
    .execute();
  await trx
    .updateTable("mailings")
    .set({ plan: JSON.stringify(plan) })
    .where("id", "=", id)
    .execute();
}

type RowList = {
  readonly id: string;
  readonly line?: number;
  readonly order?: "faults" | "line";
  readonly state?: MailingRowState | undefined;
  readonly limit?: number;
  readonly offset?: number;
};

const FAULTS_FIRST = sql`case state when 'failed' then 1 when 'refused' then 2 when 'double' then 3
  when 'left' then 4 when 'ready' then 5 else 6 end,`;

export async function selectRows(
  reader: Reader,
  { id, line, order = "line", state, limit, offset = 0 }: RowList,
): Promise<readonly MailingRow[]> {
  const { rows } = await sql<MailingRow>`
    select line, cells, choice, state, note, fault_column as "column", envelope_id as "envelopeId"
    from mailing_rows where mailing_id = ${id}::uuid
      ${state === undefined ? sql`` : sql`and state = ${state}`}
      ${line === undefined ? sql`` : sql`and line = ${line}`}
    order by ${order === "faults" ? FAULTS_FIRST : sql``} line
    ${limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`}`.execute(reader);
  return rows;
}

export async function updateRows(
  trx: Transaction,
  id: string,
  rows: readonly MailingRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update mailing_rows r set cells = n.cells, choice = n.choice, state = n.state, note = n.note,
      fault_column = n."column", envelope_id = case when r.cells = n.cells then r.envelope_id end
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (line integer, cells jsonb,
      choice text, state text, note text, "column" integer)
    where r.mailing_id = ${id}::uuid and r.line = n.line and r.state <> 'sent'`.execute(trx);
}

/** Gives how many lines wait to leave. `retry`: those that failed or were stopped leave again. */
export async function startRows(
  trx: Transaction,
  id: string,
  retry: boolean,
): Promise<{ readonly ready: number; readonly isStopped: boolean }> {
  if (retry)
    await sql`
      update mailing_rows r set state = 'ready', note = null, envelope_id = (
        select e.id from envelopes e where e.id = r.envelope_id and e.status = 'draft')
      where mailing_id = ${id}::uuid
        and (state = 'failed' or ${IS_STOPPED})`.execute(trx);
  const { rows } = await sql<{ ready: number; isStopped: boolean }>`
    select count(*) filter (where state = 'ready')::int as ready,
      count(*) filter (where ${IS_STOPPED}) > 0 as "isStopped"
    from mailing_rows r where mailing_id = ${id}::uuid`.execute(trx);
  return rows[0] ?? { ready: 0, isStopped: false };
}

export async function startMailing(
  trx: Transaction,
  started: Pick<
    StoredMailing,
    "id" | "program" | "started_by_key" | "ip_address" | "user_agent"
  > & { readonly now: Date },
): Promise<void> {
  const { id, now, ...by } = started;
  await trx
    .updateTable("mailings")
    .set({ ...by, state: "running", started_at: now, finished_at: null })
    .where("id", "=", id)
    .execute();
}

const isRevoked = isKeyGone("m.started_by_key");

export async function isKeyRevoked(reader: Reader, id: string): Promise<boolean> {
  const found = await reader
    .selectFrom("mailings as m")
    .select("m.id")
    .where("m.id", "=", id)
    .where(isRevoked)
    .executeTakeFirst();
  return found !== undefined;
}

/** Null once stopped, without its key or without a line that waits. */
export async function nextRow(reader: Reader, id: string): Promise<MailingRow | null> {
  const { rows } = await sql<MailingRow>`
    select r.line, r.cells, r.choice, r.state, r.note, r.fault_column as "column",
      r.envelope_id as "envelopeId"
    from mailing_rows r join mailings m on m.id = r.mailing_id
    where m.id = ${id}::uuid and m.state = 'running' and r.state = 'ready'
      and not ${isRevoked}
    order by r.line limit 1`.execute(reader);
  return rows[0] ?? null;
}

/** Another process has made this line's envelope, or the mailing was stopped. */
export class RowTakenError extends Error {
  override readonly name = "RowTakenError";
}

type RowKey = { readonly id: string; readonly line: number };

/** Throws `RowTakenError`: the transaction makes no second envelope. */
export async function linkRow(
  trx: Transaction,
  { id, line }: RowKey,
  envelopeId: string,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("mailing_rows")
    .set({ envelope_id: envelopeId })
    .where("mailing_id", "=", id)
    .where("line", "=", line)
    .where("state", "=", "ready")
    .where("envelope_id", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new RowTakenError();
}

/** What became of a line, also of the one under way at a stop. */
export async function endRow(
  reader: Reader,
  { id, line }: RowKey,
  outcome: { readonly state: "sent" | "failed"; readonly note: string | null },
): Promise<void> {
  await reader
    .updateTable("mailing_rows")
    .set(outcome)
    .where("mailing_id", "=", id)
    .where("line", "=", line)
    .where("state", "<>", "sent")
    .execute();
}

export async function pauseMailing(
  reader: Reader,
  id: string,
  pause: { readonly until: Date; readonly detail: string } | null,
): Promise<void> {
  await reader
    .updateTable("mailings")
    .set({ paused_until: pause?.until ?? null, pause_detail: pause?.detail ?? null })
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}

/** Lines that still wait are left, or fail with this fault; false when it had ended. */
export async function endMailing(
  trx: Transaction,
  id: string,
  { now, fault = null }: { readonly now: Date; readonly fault?: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("mailings")
    .set({ state: "done", finished_at: now, paused_until: null, pause_detail: null })
    .where("id", "=", id)
    .where("state", "=", "running")
    .executeTakeFirst();
  await sql`
    update mailing_rows set state = ${fault === null ? "left" : "failed"}, note = ${fault ?? STOPPED}
    where mailing_id = ${id}::uuid and state = 'ready'`.execute(trx);
  return numUpdatedRows === 1n;
}

export async function selectRunning(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("mailings")
    .select("id")
    .where("state", "=", "running")
    .orderBy("started_at")
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteMailing(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("mailings").where("id", "=", id).execute();
}

export async function deleteMailingsOf(reader: Reader, holderId: string): Promise<void> {
  await reader.deleteFrom("mailings").where("holder_id", "=", holderId).execute();
}

/** `ended`: those done since; `prepared`: those that nobody started. */
export async function deleteMailingsBefore(
  reader: Reader,
  before: { readonly ended: Date; readonly prepared: Date },
): Promise<void> {
  await sql`
    delete from mailings where (state = 'done' and finished_at < ${before.ended})
      or (state = 'ready' and created_at < ${before.prepared})`.execute(reader);
}
