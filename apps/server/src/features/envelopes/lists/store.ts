import { SEARCH_COUNT_CAP } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../../platform/database/database.ts";
import type { Envelope, EnvelopeRecipient } from "../domain/envelope.ts";
import { type EnvelopeRow, readEnvelopeRow, readRecipient, type RecipientJson } from "../rows.ts";
import { ENVELOPE_COLUMNS, recipientsOf } from "../store.ts";
import { keptLength, receivedCount, selectKeptLength } from "./count-store.ts";
import { holds, isDense, searchedText, searchSteps } from "./search-store.ts";
import { inboxOf, isInbox, type ListFilter, type OrderKey, orderKey, ownOf, type Search, type Source, sourcesOf } from "./source-store.ts";

export { type ListFilter, ofAddress, type Person } from "./source-store.ts";
export { selectCounts } from "./count-store.ts";

export type ListWindow = {
  readonly orderBy: OrderKey;
  readonly direction: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
};
/** Of its fields a row says how many there are: a page of a hundred would hold 50 000. */
export type ListedEnvelope = {
  readonly envelope: Envelope;
  readonly recipients: readonly EnvelopeRecipient[];
  readonly fieldCount: number;
};
export type ListedEnvelopes = { readonly count: number; readonly capped: boolean; readonly envelopes: readonly ListedEnvelope[] };

/** A page this far down is read from whichever end of its list is nearer. */
const DEEP = 1_000;

/** Gives a page of a list and the length of the whole, in one statement (two for a page far down); documents are the caller's own. */
export async function selectEnvelopeList(reader: Reader, filter: ListFilter, window: ListWindow): Promise<ListedEnvelopes> {
  const reading = await fromNearerEnd(reader, filter, window);
  const columns = sql.join(ENVELOPE_COLUMNS.map((column) => sql.ref(`e.${column}`)));
  // Each source is read in order from its own index, no further than the page's end; then they are merged. Up to there only ids are read.
  const rows = sql.join(
    sourcesOf(filter).flatMap((source) => rowsOf(filter, source, reading)),
    sql` union all `,
  );
  const page = sql`
    select ${columns}, ${recipientsOf(sql.ref("e.id"))} as recipients, (select count(*) from fields f where f.envelope_id = e.id) as field_count,
      here.key as order_key
    from (select r.id, r.key from (${rows}) r order by ${orderOf(reading, sql.ref("r.key"), "r.id")} limit ${reading.limit} offset ${reading.offset}) here
    join envelopes e on e.id = here.id`;
  const found = await sql<{
    count: number;
    capped: boolean;
    page: PageRow | null;
  }>`
    with ${filter.search === null || !sourcesOf(filter).includes("own") ? sql`` : sql`${searchSteps(filter, filter.search, window.orderBy)},`}
    total as (${total(filter)}), page as (${page})
    select total.count, total.capped, case when page.id is null then null else to_jsonb(page) end as page
    from total left join page on true
    order by ${orderOf({ ...window, isReversed: false }, sql.ref("page.order_key"), "page.id")}
  `.execute(reader);
  const { count = 0, capped = false } = found.rows[0] ?? {};
  const envelopes = found.rows.flatMap(({ page: row }) => (row === null ? [] : [readListed(row)]));
  return { count: capped ? SEARCH_COUNT_CAP : count, capped, envelopes };
}

/** How many of the newest texts a word is looked for in that is nearly the one sought. */
const NEAR_AMONG = 400;

/** Gives the texts of a list's newest, as this search looks in them. */
export async function selectTexts(reader: Reader, filter: ListFilter, search: Search): Promise<readonly string[]> {
  const limit = sql.lit(NEAR_AMONG);
  const texts = sourcesOf(filter).map((source) =>
    isInbox(source)
      ? sql`(select ${searchedText(source, search)} as text from envelope_inbox i join envelopes e on e.id = i.envelope_id
        where ${inboxOf(filter, source)} order by i.created_at desc limit ${limit})`
      : sql`(select ${searchedText(source, search)} as text from envelopes e where ${ownOf(filter)} order by e.created_at desc, e.id desc limit ${limit})`,
  );
  const { rows } = await sql<{ text: string }>`${sql.join(texts, sql` union all `)}`.execute(reader);
  return rows.map((row) => row.text);
}

type PageRow = EnvelopeRow & { readonly recipients: readonly RecipientJson[]; readonly field_count: number };

function readListed(row: PageRow): ListedEnvelope {
  return { envelope: readEnvelopeRow(withDates(row)), recipients: row.recipients.map(readRecipient), fieldCount: row.field_count };
}

/** How a page is read: in its own order, or backwards from the end of the list. */
type Reading = ListWindow & { readonly isReversed: boolean };

async function fromNearerEnd(reader: Reader, filter: ListFilter, window: ListWindow): Promise<Reading> {
  const ahead = { ...window, isReversed: false };
  if (window.offset < DEEP || isNarrowed(filter)) return ahead;
  const length = await selectKeptLength(reader, filter);
  if (window.offset <= length / 2) return ahead;
  const limit = Math.max(0, Math.min(window.limit, length - window.offset));
  return { ...window, isReversed: true, limit, offset: Math.max(0, length - window.offset - limit) };
}

/** What has no deadline comes last in both directions, and so first when such a list is read backwards. */
function orderOf({ orderBy, direction, isReversed }: Reading, key: RawBuilder<unknown>, id: string): RawBuilder<unknown> {
  const way = (direction === "asc") === isReversed ? "desc" : "asc";
  const nulls = orderBy === "deadline_at" ? ` nulls ${isReversed ? "first" : "last"}` : "";
  return sql`${key} ${sql.raw(`${way}${nulls}`)}, ${sql.ref(id)} ${sql.raw(way)}`;
}

/** The statements that give a source's part of the page, as (id, key). */
function rowsOf(filter: ListFilter, source: Source, reading: Reading): RawBuilder<unknown>[] {
  const reach = sql.lit(reading.limit + reading.offset);
  const key = orderKey(reading.orderBy, "e");
  const order = orderOf(reading, key, "e.id");
  if (isInbox(source)) {
    if (filter.search === null && reading.orderBy === "created_at")
      return [
        sql`(select i.envelope_id as id, i.created_at as key from envelope_inbox i where ${inboxOf(filter, source)}
        order by ${orderOf(reading, sql.ref("i.created_at"), "i.envelope_id")} limit ${reach})`,
      ];
    const found = filter.search === null ? sql`` : sql`and ${holds(source, filter.search)}`;
    return [
      sql`(select e.id, ${key} as key from envelope_inbox i join envelopes e on e.id = i.envelope_id
        where ${inboxOf(filter, source)} ${found} order by ${order} limit ${reach})`,
    ];
  }
  if (filter.search === null)
    // Of several statuses each is read in order from the index of its own.
    return eachStatus(filter).map(
      (one) => sql`(select e.id, ${key} as key from envelopes e where ${ownOf(one)} order by ${order} limit ${reach})`,
    );
  return [
    // A list that is full of it is read in its order ("offset 0": the order is made before the search, not after) ...
    sql`(select e.id, e.key from (
        select e.id, ${key} as key, e.search_text from envelopes e where ${isDense} and ${ownOf(filter)} order by ${order} offset 0) e
      where ${holds("own", filter.search)} order by ${orderOf(reading, sql.ref("e.key"), "e.id")} limit ${reach})`,
    // ... and in any other, all that was found is put in order.
    sql`(select f.id, f.key from found f order by ${orderOf(reading, sql.ref("f.key"), "f.id")} limit ${reach})`,
  ];
}

function eachStatus(filter: ListFilter): readonly ListFilter[] {
  const { status } = filter;
  return status === null || typeof status === "string" ? [filter] : status.map((one) => ({ ...filter, status: [one] }));
}

const isNarrowed = ({ search, from, before }: ListFilter) => search !== null || from !== null || before !== null;

/** The length of a list: what the writers keep; or when it is narrowed, counted to 10 000 and no further. */
function total(filter: ListFilter): RawBuilder<unknown> {
  if (!isNarrowed(filter)) return sql`select ${keptLength(filter)} as count, false as capped`;
  const counts = sourcesOf(filter).map((source) => countOf(filter, source));
  return sql`select count, count > ${SEARCH_COUNT_CAP} as capped from (select ${sql.join(counts, sql` + `)} as count) counted`;
}

function countOf(filter: ListFilter, source: Source): RawBuilder<unknown> {
  const enough = sql.lit(SEARCH_COUNT_CAP + 1);
  if (isInbox(source)) return receivedCount(filter, source);
  if (filter.search === null) return sql`(select count(*) from (select from envelopes e where ${ownOf(filter)} limit ${enough}) listed)`;
  return sql`(case when ${isDense} then ${enough} else (select count(*) from found) end)`;
}

/** `to_jsonb` writes times as text. */
function withDates<Row extends EnvelopeRow>(row: Row): Row {
  const times = ["created_at", "updated_at", "sent_at", "completed_at", "deadline_at", "cancelled_at"] as const;
  const dates = times.map((name) => [name, row[name] === null ? null : new Date(row[name] as unknown as string)]);
  return { ...row, ...Object.fromEntries(dates) };
}
