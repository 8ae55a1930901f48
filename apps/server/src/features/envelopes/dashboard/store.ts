import { sql } from "kysely";
import type { Reader } from "../../../platform/database/database.ts";
import { awaitedOf, completedOf, ofHolders, type Person as ListPerson } from "../lists/store.ts";

export type DashboardWindow = {
  readonly holders: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly monthStart: string;
  readonly sparkStart: string;
};
export type DashboardTotals = {
  readonly created: number;
  readonly completed: number;
  readonly completedDays: number;
  readonly thisMonth: number;
  readonly days: Readonly<Record<string, number>>;
};

export async function selectTotals(
  reader: Reader,
  window: DashboardWindow,
): Promise<DashboardTotals> {
  const inPeriod = sql`day between coalesce(${window.from}::date, '-infinity') and coalesce(${window.to}::date, 'infinity')`;
  const { rows } = await sql<DashboardTotals>`
    select coalesce(sum(created) filter (where ${inPeriod}), 0)::int as created,
      coalesce(sum(completed) filter (where ${inPeriod}), 0)::int as completed,
      coalesce(sum(completed_days) filter (where ${inPeriod}), 0) as "completedDays",
      coalesce(sum(created) filter (where day >= ${window.monthStart}::date), 0)::int as "thisMonth",
      coalesce(jsonb_object_agg(day, created) filter (where day >= ${window.sparkStart}::date), '{}') as days
    from envelope_days where ${ofHolders(window, "holder_id")}
  `.execute(reader);
  return rows[0] as DashboardTotals;
}

/** Limits the reading of a list that an attacker fills. */
const RECEIVED_LOOKED_AT = 100;

/** Own envelopes, and those that were received or signed for somebody. */
export async function selectCompleted(
  reader: Reader,
  person: ListPerson,
  limit: number,
): Promise<readonly { id: string; title: string; completedAt: Date }[]> {
  const columns = sql`id, title, completed_at from envelopes where status = 'completed' and purged_at is null`;
  const newest = sql`order by completed_at desc limit ${sql.lit(limit)}`;
  const own = person.holders.map(
    (holder) => sql`(select ${columns} and holder_id = ${holder}::uuid ${newest})`,
  );
  const received = (["completed", "signed_for"] as const).map(
    (list) => sql`(select i.envelope_id from envelope_inbox i where ${completedOf(person, list)}
      order by i.created_at desc, i.envelope_id desc limit ${sql.lit(RECEIVED_LOOKED_AT)})`,
  );
  const { rows } = await sql<{ id: string; title: string; completedAt: Date }>`
    select id, title, completed_at as "completedAt" from (
      ${sql.join(own, sql` union all `)} union all
      (select ${columns} and id in (${sql.join(received, sql` union all `)}) ${newest})) e
    ${newest}`.execute(reader);
  return rows;
}

/** Limits the reading of a list that an attacker fills. */
const AWAITED_LOOKED_AT = 1_000;

export type Standing = {
  readonly lastDraftAt: Date | null;
  readonly toCorrect: number;
  readonly expiringSoon: number;
  readonly mostUrgentAt: Date | null;
};

export async function selectStanding(
  reader: Reader,
  person: ListPerson,
  window: { readonly now: Date; readonly beyond: Date },
): Promise<Standing> {
  // The indexes give one holder's drafts by change, and envelopes by deadline.
  const holders = sql`unnest(${sql.val([...person.holders])}::uuid[]) as holder`;
  const { rows } = await sql<Standing>`
    select
      (select max(latest) from ${holders} cross join lateral (
        select d.updated_at as latest from envelopes d
        where d.holder_id = holder and d.status = 'draft' and d.purged_at is null
        order by d.updated_at desc limit 1) drafts) as "lastDraftAt",
      (select sum(returned)::int from ${holders} cross join lateral (
        select count(*) as returned from envelopes r
        where r.holder_id = holder and r.purged_at is null and r.status = 'draft'
          and r.sent_at is not null) corrections) as "toCorrect",
      (select sum(soon)::int from ${holders} cross join lateral (
        select count(*) as soon from envelopes s
        where s.holder_id = holder and s.purged_at is null and s.status in ('sent', 'pending')
          and s.deadline_at > ${window.now} and s.deadline_at < ${window.beyond}) due) as "expiringSoon",
      (select min(e.deadline_at) from (
          select i.envelope_id from envelope_inbox i where ${awaitedOf(person)} and i.list = 'action_required'
          order by i.created_at desc, i.envelope_id desc limit ${sql.lit(AWAITED_LOOKED_AT)}) awaited
        join envelopes e on e.id = awaited.envelope_id where e.deadline_at > ${window.now}) as "mostUrgentAt"
  `.execute(reader);
  return rows[0] as Standing;
}
