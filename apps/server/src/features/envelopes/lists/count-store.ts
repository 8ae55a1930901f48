import { SEARCH_COUNT_CAP } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../../platform/database/database.ts";
import { holds } from "./search-store.ts";
import { inboxOf, isInbox, type ListFilter, ofAddress, type Person, type Source, sourcesOf, statusesOf } from "./source-store.ts";

/** Gives the counts that writers keep, by status, those awaited (`action_required`), and the completed ones that others sent (`received`), in one statement. */
export async function selectCounts(reader: Reader, person: Person): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count from envelope_counts where owner_id = ${person.ownerId}::uuid
    union all
    select 'action_required', coalesce(sum(count), 0)::bigint from inbox_counts i where ${ofAddress(person, "i")} and list = 'action_required'
    union all
    select 'received', coalesce(sum(count), 0)::bigint from inbox_counts i
    where ${ofAddress(person, "i")} and list = 'completed' and owner_id <> ${person.ownerId}::uuid
  `.execute(reader);
  return new Map(rows.map((row) => [row.status, row.count]));
}

/** Gives the length of a list that nothing narrows. */
export async function selectKeptLength(reader: Reader, filter: ListFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`select ${keptLength(filter)} as count`.execute(reader);
  return rows[0]?.count ?? 0;
}

/** The length of a list that nothing narrows, as its writers keep it. */
export function keptLength(filter: ListFilter): RawBuilder<unknown> {
  return sql.join(
    sourcesOf(filter).map((source) => {
      if (!isInbox(source)) return keptOwn(filter);
      return sql`(select coalesce(sum(i.count), 0)::bigint from inbox_counts i where ${inboxOf({ ...filter, from: null, before: null }, source)})`;
    }),
    sql` + `,
  );
}

function keptOwn(filter: ListFilter): RawBuilder<unknown> {
  const statuses = statusesOf(filter);
  const which = statuses === null ? sql`` : sql`and status in (${sql.join(statuses)})`;
  return sql`(select coalesce(sum(count), 0)::bigint from envelope_counts where owner_id = ${filter.ownerId}::uuid ${which})`;
}

/** How many of those that others sent are within the dates and hold what is searched, counted no further than lists say. */
export function receivedCount(filter: ListFilter, source: Exclude<Source, "own">): RawBuilder<unknown> {
  const found = filter.search === null ? sql`` : sql`join envelopes e on e.id = i.envelope_id and ${holds(source, filter.search)}`;
  return sql`(select count(*) from (select from envelope_inbox i ${found} where ${inboxOf(filter, source)} limit ${sql.lit(SEARCH_COUNT_CAP + 1)}) received)`;
}
