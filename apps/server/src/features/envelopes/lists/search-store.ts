import { SEARCH_COUNT_CAP } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import { PART_END } from "../domain/search-text.ts";
import { datesOf, isInbox, type ListFilter, type OrderKey, orderKey, ownOf, type Search, type Source, statusesOf } from "./source-store.ts";

/** How many of the newest are looked at to tell whether a list is full of what is searched. */
const HEAD = 400;
/** One in this many: from there on, reading the list in order meets 10 000 sooner than the index gives them all. */
const DENSITY = 16;

/** Whether 10 000 were met near the head of the list: then it is counted no further, and read in order. */
export const isDense = sql`(select n from dense) > ${sql.lit(SEARCH_COUNT_CAP)}`;

/** The text that a list is searched in: the whole of one's own; of what others sent title and sender, for the addresses of the others are nobody's to find. */
export function searchedText(source: Source, { inTitles }: { readonly inTitles: boolean }, table = "e"): RawBuilder<unknown> {
  const text = sql.ref(`${table}.search_text`);
  const [part, end] = [sql.lit(`[^${PART_END}]*`), sql.lit(PART_END)];
  if (inTitles) return sql`split_part(${text}, ${end}, 1)`;
  return isInbox(source) ? sql`substring(${text} from ${part} || ${end} || ${part})` : text;
}

/** What an envelope must hold, at any place of that text. */
export function holds(source: Source, search: Search, table = "e"): RawBuilder<unknown> {
  return sql`${searchedText(source, search, table)} like ${search.pattern}`;
}

/**
 * The steps of a search among one's own envelopes. `dense` counts what the head of the list holds, no further than it may say; `found` gives all
 * there is, from the index of keys, when that is not too much. Neither way is left to the planner, which knows how many hold each key and not how
 * many hold them all: a `materialized` step is made as it is written, and keys given by a subquery are estimated without looking at them.
 */
export function searchSteps(filter: ListFilter, search: Search, orderBy: OrderKey): RawBuilder<unknown> {
  const newest = (limit: number) =>
    sql`(select e.search_text from envelopes e where ${ownOf(filter)} order by e.created_at desc, e.id desc limit ${sql.lit(limit)}) e`;
  const statuses = statusesOf(filter);
  const parts = [
    sql`not (${isDense})`,
    sql`search_keys(s.owner_id, s.search_text) @> (select sought_keys(${filter.ownerId}::uuid, ${search.text}))`,
    sql`s.owner_id = ${filter.ownerId}::uuid`,
    holds("own", search, "s"),
    ...datesOf(filter, "s"),
    ...(statuses === null ? [] : [sql`s.status in (${sql.join(statuses)})`]),
  ];
  const isNarrow = orderBy !== "deadline_at";
  return sql`
    head as materialized (select count(*) as n from ${newest(HEAD)} where ${holds("own", search)}),
    dense as materialized (
      select count(*) as n from (
        select from ${newest((SEARCH_COUNT_CAP + 1) * DENSITY)}
        where (select n from head) >= ${sql.lit(HEAD / DENSITY)} and ${holds("own", search)} limit ${sql.lit(SEARCH_COUNT_CAP + 1)}) e),
    found as materialized (
      select s.envelope_id as id, ${orderKey(orderBy, isNarrow ? "s" : "e")} as key
      from envelope_search s ${isNarrow ? sql`` : sql`join envelopes e on e.id = s.envelope_id`} where ${sql.join(parts, sql` and `)})`;
}
