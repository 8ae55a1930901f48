import { SEARCH_COUNT_CAP, type StoredStatus } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../../platform/database/database.ts";
import type { Envelope, EnvelopeRecipient } from "../domain/envelope.ts";
import { PART_END } from "../domain/search-text.ts";
import {
  ENVELOPE_COLUMNS,
  type EnvelopeRow,
  readEnvelopeRow,
  readRecipient,
  type RecipientJson,
  recipientsOf,
} from "../store.ts";

/** What a search looks for, folded as `search_text` is; the LIKE pattern that finds it; and whether in titles alone. */
type Search = { readonly text: string; readonly pattern: string; readonly inTitles: boolean };

/**
 * Whose lists: by the account's address, confirmed by a person or not. Until it is, it shows what its own account sent there and nothing of others'.
 */
export type Person = {
  readonly ownerId: string;
  readonly emailKey: string;
  readonly isConfirmed: boolean;
};

type Folder = "draft" | "sent" | "completed" | "cancelled";

/** What a list shows. The folder `sent` holds whatever was sent and is not completed or cancelled; stored statuses, some of it. */
export type ListFilter = Person & {
  readonly status: Folder | "action_required" | readonly StoredStatus[] | null;
  readonly search: Search | null;
  readonly from: Date | null;
  readonly before: Date | null;
};

type OrderKey = "created_at" | "title" | "deadline_at";

/** What a list is put in order by: a title by its folded text, so that « Abricot, bail, bail 2, écran, Zèbre » follow one another. */
function orderKey(orderBy: OrderKey, table: string): RawBuilder<unknown> {
  return orderBy === "title"
    ? sql`${sql.ref(`${table}.search_text`)} collate "C"`
    : sql`${sql.ref(`${table}.${orderBy}`)}`;
}

/** Whose envelopes a list holds: one's own, or those of others that one finds in `envelope_inbox`. */
type Source = "own" | Inbox;
type Inbox = "action_required" | "completed";

const isInbox = (source: Source): source is Inbox => source !== "own";

/** Those awaited; among the completed ones also those that others sent and one was invited to; else one's own. */
function sourcesOf({ status }: ListFilter): readonly Source[] {
  if (status === "action_required") return ["action_required"];
  return status === "completed" ? ["own", "completed"] : ["own"];
}

const FOLDERS: Readonly<Record<Folder, readonly StoredStatus[]>> = {
  draft: ["draft"],
  sent: ["sent", "pending", "declined", "expired"],
  completed: ["completed"],
  cancelled: ["cancelled"],
};

/** The statuses of one's own envelopes in a list; null where it is not narrowed by them. */
function statusesOf({ status }: ListFilter): readonly string[] | null {
  if (status === null || status === "action_required") return null;
  return typeof status === "string" ? FOLDERS[status] : status;
}

/** One's own envelopes of a list, as conditions on `envelopes e` that an index answers. */
function ownOf(filter: ListFilter): RawBuilder<unknown> {
  const { ownerId, status } = filter;
  const parts = [
    sql`e.purged_at is null`,
    sql`e.owner_id = ${ownerId}::uuid`,
    ...datesOf(filter, "e"),
  ];
  if (status !== null)
    parts.push(
      typeof status === "string"
        ? sql`e.folder = ${status}`
        : sql`e.status in (${sql.join(status)})`,
    );
  return sql.join(parts, sql` and `);
}

/** Those that others sent, as conditions on `envelope_inbox i`. What waits for a signature may be one's own. */
function inboxOf(filter: ListFilter, list: Inbox): RawBuilder<unknown> {
  const parts = [ofAddress(filter, "i"), sql`i.list = ${list}`, ...datesOf(filter, "i")];
  if (list === "completed") parts.push(sql`i.owner_id <> ${filter.ownerId}::uuid`);
  return sql.join(parts, sql` and `);
}

/** What was sent to a person's address, as a condition on a table that has `email_key` and `owner_id`. */
export function ofAddress(
  { ownerId, emailKey, isConfirmed }: Person,
  table: string,
): RawBuilder<unknown> {
  const address = sql`${sql.ref(`${table}.email_key`)} = ${emailKey}`;
  return isConfirmed
    ? address
    : sql`${address} and ${sql.ref(`${table}.owner_id`)} = ${ownerId}::uuid`;
}

function datesOf({ from, before }: ListFilter, table: string): RawBuilder<unknown>[] {
  const created = sql.ref(`${table}.created_at`);
  return [
    ...(from === null ? [] : [sql`${created} >= ${from}`]),
    ...(before === null ? [] : [sql`${created} < ${before}`]),
  ];
}

/** How many of the newest are looked at to tell whether a list is full of what is searched. */
const HEAD = 400;
/** One in this many: from there on, reading the list in order meets 10 000 sooner than the index gives them all. */
const DENSITY = 16;

/** Whether 10 000 were met near the head of the list: then it is counted no further, and read in order. */
const isDense = sql`(select n from dense) > ${sql.lit(SEARCH_COUNT_CAP)}`;

/** The text that a list is searched in: the whole of one's own; of what others sent title and sender, for the addresses of the others are nobody's to find. */
function searchedText(
  source: Source,
  { inTitles }: { readonly inTitles: boolean },
  table = "e",
): RawBuilder<unknown> {
  const text = sql.ref(`${table}.search_text`);
  const [part, end] = [sql.lit(`[^${PART_END}]*`), sql.lit(PART_END)];
  if (inTitles) return sql`split_part(${text}, ${end}, 1)`;
  return isInbox(source) ? sql`substring(${text} from ${part} || ${end} || ${part})` : text;
}

/** What an envelope must hold, at any place of that text. */
function holds(source: Source, search: Search, table = "e"): RawBuilder<unknown> {
  return sql`${searchedText(source, search, table)} like ${search.pattern}`;
}

/**
 * The steps of a search among one's own envelopes. `dense` counts what the head of the list holds, no further than it may say; `found` gives all
 * there is, from the index of keys, when that is not too much. Neither way is left to the planner, which knows how many hold each key and not how
 * many hold them all: a `materialized` step is made as it is written, and keys given by a subquery are estimated without looking at them.
 */
function searchSteps(filter: ListFilter, search: Search, orderBy: OrderKey): RawBuilder<unknown> {
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

/** Gives the counts that writers keep, by status, those awaited (`action_required`), and the completed ones that others sent (`received`), in one statement. */
export async function selectCounts(
  reader: Reader,
  person: Person,
): Promise<ReadonlyMap<string, number>> {
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
async function selectKeptLength(reader: Reader, filter: ListFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`select ${keptLength(filter)} as count`.execute(
    reader,
  );
  return rows[0]?.count ?? 0;
}

/** The length of a list that nothing narrows, as its writers keep it. */
function keptLength(filter: ListFilter): RawBuilder<unknown> {
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
function receivedCount(filter: ListFilter, source: Exclude<Source, "own">): RawBuilder<unknown> {
  const found =
    filter.search === null
      ? sql``
      : sql`join envelopes e on e.id = i.envelope_id and ${holds(source, filter.search)}`;
  return sql`(select count(*) from (select from envelope_inbox i ${found} where ${inboxOf(filter, source)} limit ${sql.lit(SEARCH_COUNT_CAP + 1)}) received)`;
}

export type ListWindow = {
  readonly orderBy: OrderKey;
  readonly direction: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
};
/** Of its fields a row says how many there are: a page of a hundred would hold 50 000. */
type ListedEnvelope = {
  readonly envelope: Envelope;
  readonly recipients: readonly EnvelopeRecipient[];
  readonly fieldCount: number;
};
type ListedEnvelopes = {
  readonly count: number;
  readonly capped: boolean;
  readonly envelopes: readonly ListedEnvelope[];
};

/** A page this far down is read from whichever end of its list is nearer. */
const DEEP = 1_000;

/** Gives a page of a list and the length of the whole, in one statement (two for a page far down); documents are the caller's own. */
export async function selectEnvelopeList(
  reader: Reader,
  filter: ListFilter,
  window: ListWindow,
): Promise<ListedEnvelopes> {
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
export async function selectTexts(
  reader: Reader,
  filter: ListFilter,
  search: Search,
): Promise<readonly string[]> {
  const limit = sql.lit(NEAR_AMONG);
  const texts = sourcesOf(filter).map((source) =>
    isInbox(source)
      ? sql`(select ${searchedText(source, search)} as text from envelope_inbox i join envelopes e on e.id = i.envelope_id
        where ${inboxOf(filter, source)} order by i.created_at desc limit ${limit})`
      : sql`(select ${searchedText(source, search)} as text from envelopes e where ${ownOf(filter)} order by e.created_at desc, e.id desc limit ${limit})`,
  );
  const { rows } = await sql<{ text: string }>`${sql.join(texts, sql` union all `)}`.execute(
    reader,
  );
  return rows.map((row) => row.text);
}

type PageRow = EnvelopeRow & {
  readonly recipients: readonly RecipientJson[];
  readonly field_count: number;
};

function readListed(row: PageRow): ListedEnvelope {
  return {
    envelope: readEnvelopeRow(withDates(row)),
    recipients: row.recipients.map(readRecipient),
    fieldCount: row.field_count,
  };
}

/** How a page is read: in its own order, or backwards from the end of the list. */
type Reading = ListWindow & { readonly isReversed: boolean };

async function fromNearerEnd(
  reader: Reader,
  filter: ListFilter,
  window: ListWindow,
): Promise<Reading> {
  const ahead = { ...window, isReversed: false };
  if (window.offset < DEEP || isNarrowed(filter)) return ahead;
  const length = await selectKeptLength(reader, filter);
  if (window.offset <= length / 2) return ahead;
  const limit = Math.max(0, Math.min(window.limit, length - window.offset));
  return {
    ...window,
    isReversed: true,
    limit,
    offset: Math.max(0, length - window.offset - limit),
  };
}

/** What has no deadline comes last in both directions, and so first when such a list is read backwards. */
function orderOf(
  { orderBy, direction, isReversed }: Reading,
  key: RawBuilder<unknown>,
  id: string,
): RawBuilder<unknown> {
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
      (one) =>
        sql`(select e.id, ${key} as key from envelopes e where ${ownOf(one)} order by ${order} limit ${reach})`,
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
  return status === null || typeof status === "string"
    ? [filter]
    : status.map((one) => ({ ...filter, status: [one] }));
}

const isNarrowed = ({ search, from, before }: ListFilter) =>
  search !== null || from !== null || before !== null;

/** The length of a list: what the writers keep; or when it is narrowed, counted to 10 000 and no further. */
function total(filter: ListFilter): RawBuilder<unknown> {
  if (!isNarrowed(filter)) return sql`select ${keptLength(filter)} as count, false as capped`;
  const counts = sourcesOf(filter).map((source) => countOf(filter, source));
  return sql`select count, count > ${SEARCH_COUNT_CAP} as capped from (select ${sql.join(counts, sql` + `)} as count) counted`;
}

function countOf(filter: ListFilter, source: Source): RawBuilder<unknown> {
  const enough = sql.lit(SEARCH_COUNT_CAP + 1);
  if (isInbox(source)) return receivedCount(filter, source);
  if (filter.search === null)
    return sql`(select count(*) from (select from envelopes e where ${ownOf(filter)} limit ${enough}) listed)`;
  return sql`(case when ${isDense} then ${enough} else (select count(*) from found) end)`;
}

/** `to_jsonb` writes times as text. */
function withDates<Row extends EnvelopeRow>(row: Row): Row {
  const times = [
    "created_at",
    "updated_at",
    "sent_at",
    "completed_at",
    "deadline_at",
    "cancelled_at",
  ] as const;
  const dates = times.map((name) => [
    name,
    row[name] === null ? null : new Date(row[name] as unknown as string),
  ]);
  return { ...row, ...Object.fromEntries(dates) };
}
