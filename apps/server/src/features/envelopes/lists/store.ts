import {
  SCOPE_ROLES,
  SEARCH_COUNT_CAP,
  type StandingDelegation,
  type StoredStatus,
} from "@paraphe/contracts";
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
  NAMES,
} from "../store.ts";

/**
 * Text folded like `search_text`, its LIKE pattern, and whether to search titles only. `teams`:
 * their names contain the text, so that all of theirs is found.
 */
type Search = {
  readonly text: string;
  readonly pattern: string;
  readonly inTitles: boolean;
  readonly teams: readonly string[];
};

/** An unconfirmed address shows only what its own account, or its teams, sent there. */
export type Person = {
  readonly holders: readonly string[];
  readonly emailKey: string;
  readonly isConfirmed: boolean;
  readonly delegations?: readonly StandingDelegation[];
};

type Folder = "draft" | "sent" | "completed" | "cancelled";

/** `sent`: neither completed nor cancelled; statuses narrow it. */
export type ListFilter = Person & {
  readonly status: Folder | "action_required" | readonly StoredStatus[] | null;
  readonly search: Search | null;
  readonly from: Date | null;
  readonly before: Date | null;
  readonly team: "mine" | { readonly id: string } | null;
};

type OrderKey = "created_at" | "title" | "deadline_at";

/** Orders by folded text: « Abricot, bail, bail 2, écran, Zèbre ». */
function orderKey(orderBy: OrderKey, table: string): RawBuilder<unknown> {
  return orderBy === "title"
    ? sql`${sql.ref(`${table}.search_text`)} collate "C"`
    : sql`${sql.ref(`${table}.${orderBy}`)}`;
}

/**
 * `own` reads the person's and their teams' envelopes; the others' come through `envelope_inbox`.
 */
type Source = "own" | Inbox;
type Inbox = "action_required" | "completed" | "signed_for";

const isInbox = (source: Source): source is Inbox => source !== "own";

/** Awaiting me; completed, also by me for another; otherwise mine. An unconfirmed address receives none. */
function sourcesOf({ status, team, isConfirmed }: ListFilter): readonly Source[] {
  if (status === "action_required") return ["action_required"];
  const isOfATeam = team !== null && team !== "mine";
  if (status !== "completed" || isOfATeam) return ["own"];
  return isConfirmed ? ["own", "completed", "signed_for"] : ["own", "signed_for"];
}

const FOLDERS: Readonly<Record<Folder, readonly StoredStatus[]>> = {
  draft: ["draft"],
  sent: ["sent", "pending", "declined", "expired"],
  completed: ["completed"],
  cancelled: ["cancelled"],
};

function statusesOf({ status }: ListFilter): readonly string[] | null {
  if (status === null || status === "action_required") return null;
  return typeof status === "string" ? FOLDERS[status] : status;
}

function listedHolders({ holders, team }: Pick<ListFilter, "holders" | "team">): readonly string[] {
  if (team === null) return holders;
  return team === "mine" ? holders.slice(0, 1) : holders.filter((holder) => holder === team.id);
}

/** Makes a filter per holder, as the index gives one holder's envelopes in order. */
function eachHolder(filter: ListFilter): readonly ListFilter[] {
  return listedHolders(filter).map((holder) => ({ ...filter, holders: [holder], team: null }));
}

/**
 * Holders whose envelopes the words are searched in; others are found by their name, with all they
 * have.
 */
function searchedHolders(filter: ListFilter): readonly ListFilter[] {
  return eachHolder(filter).filter(({ holders: [one = ""] }) => !isFoundByName(filter, one));
}

function foundByName(filter: ListFilter): readonly ListFilter[] {
  return eachHolder(filter)
    .filter(({ holders: [one = ""] }) => isFoundByName(filter, one))
    .map((one) => ({ ...one, search: null }));
}

const isFoundByName = ({ search }: ListFilter, holder: string): boolean =>
  search?.teams.includes(holder) === true;

const unionOf = (parts: readonly RawBuilder<unknown>[]) => sql.join(parts, sql` union all `);

export function ofHolders(
  { holders }: Pick<Person, "holders">,
  column: string,
): RawBuilder<unknown> {
  return holders.length === 1
    ? sql`${sql.ref(column)} = ${holders[0]}::uuid`
    : sql`${sql.ref(column)} = any(${sql.val([...holders])}::uuid[])`;
}

/** Conditions on `envelopes e` that an index answers. */
function ownOf(filter: ListFilter): RawBuilder<unknown> {
  const { holders, status } = filter;
  const parts = [
    sql`e.purged_at is null`,
    sql`e.holder_id = ${holders[0]}::uuid`,
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

/** Conditions on `envelope_inbox i`; own awaited envelopes are included. */
function inboxOf(filter: ListFilter, list: Inbox): RawBuilder<unknown> {
  const dates = datesOf(filter, "i");
  if (list !== "action_required") {
    // An address confirmed since may have the same envelope.
    const others =
      list === "signed_for" && filter.isConfirmed
        ? [
            sql`not exists (select from envelope_inbox o where o.envelope_id = i.envelope_id
              and o.list = 'completed' and o.email_key = ${filter.emailKey})`,
          ]
        : [];
    return sql.join([completedOf(filter, list), ...others, ...dates], sql` and `);
  }
  const parts = [awaitedOf(filter), sql`i.list = ${list}`, ...inTeamOf(filter, "i"), ...dates];
  return sql.join(parts, sql` and `);
}

type Received = Exclude<Inbox, "action_required">;

/** Conditions on `envelope_inbox` and `inbox_counts`, as `i`. */
export function completedOf(person: Person, list: Received): RawBuilder<unknown> {
  const whose =
    list === "signed_for" ? sql`i.email_key = ${person.holders[0]}` : ofAddress(person, "i");
  return sql`${whose} and i.list = ${list} and not ${ofHolders(person, "i.holder_id")}`;
}

const receivedLength = (person: Person, list: Received) =>
  sql`(select coalesce(sum(i.count), 0)::bigint from inbox_counts i where ${completedOf(person, list)})`;

/** Among what awaits a person, takes the chosen team's alone, or none of a team's. */
function inTeamOf({ team, holders }: ListFilter, table: string): readonly RawBuilder<unknown>[] {
  const column = `${table}.holder_id`;
  if (team === null) return [];
  if (team !== "mine") return [sql`${sql.ref(column)} = ${team.id}::uuid`];
  return holders.length === 1 ? [] : [sql`not ${ofHolders({ holders: holders.slice(1) }, column)}`];
}

/** Gives a condition on a table that has `email_key` and `holder_id`. */
export function ofAddress(person: Person, table: string): RawBuilder<unknown> {
  const address = sql`${sql.ref(`${table}.email_key`)} = ${person.emailKey}`;
  return person.isConfirmed
    ? address
    : sql`${address} and ${ofHolders(person, `${table}.holder_id`)}`;
}

type Scoped = Pick<StandingDelegation, "emailKey" | "scope" | "circuitId">;

/** SQL: the awaited rows of `envelope_inbox`, under the name `table`, that are delegated. */
function delegatedIn(table: string, { emailKey, scope, circuitId }: Scoped): RawBuilder<unknown> {
  const [key, id] = [sql.ref(`${table}.email_key`), sql.ref(`${table}.envelope_id`)];
  const whose = sql`${key} = ${emailKey}`;
  if (scope === "circuit")
    return sql`(${whose} and exists (
      select from envelopes c where c.id = ${id} and c.circuit->>'id' = ${circuitId}))`;
  const roles = SCOPE_ROLES[scope];
  return roles === null
    ? whose
    : sql`(${whose} and exists (
      select from recipients p where p.envelope_id = ${id} and p.email_key = ${key}
        and p.awaited and p.role = any(${sql.val([...roles])}::text[])))`;
}

export async function countDelegated(reader: Reader, scoped: Scoped): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from envelope_inbox i
    where ${delegatedIn("i", scoped)} and i.list = 'action_required'`.execute(reader);
  return rows[0]?.count ?? 0;
}

/**
 * Selects from `envelope_inbox i` by own address or a delegator's; an envelope of both comes once.
 */
export function awaitedOf(person: Person): RawBuilder<unknown> {
  const { delegations = [] } = person;
  if (delegations.length === 0) return ofAddress(person, "i");
  const among = (table: string) => {
    const delegated = delegations.map((one) => delegatedIn(table, one));
    return sql`((${ofAddress(person, table)}) or ${sql.join(delegated, sql` or `)})`;
  };
  return sql`${among("i")} and not exists (select from envelope_inbox o where o.envelope_id = i.envelope_id
    and o.list = i.list and o.email_key < i.email_key and ${among("o")})`;
}

/** Triggers keep the count; with delegators rows are counted, since some have both. */
function awaitedCount(
  person: Person,
  narrowed: readonly RawBuilder<unknown>[] = [],
): RawBuilder<unknown> {
  const which = (whose: RawBuilder<unknown>) =>
    sql.join([whose, sql`i.list = 'action_required'`, ...narrowed], sql` and `);
  return (person.delegations?.length ?? 0) > 0
    ? sql`(select count(*) from envelope_inbox i where ${which(awaitedOf(person))})`
    : sql`(select coalesce(sum(count), 0)::bigint from inbox_counts i where ${which(ofAddress(person, "i"))})`;
}

function datesOf({ from, before }: ListFilter, table: string): RawBuilder<unknown>[] {
  const created = sql.ref(`${table}.created_at`);
  return [
    ...(from === null ? [] : [sql`${created} >= ${from}`]),
    ...(before === null ? [] : [sql`${created} < ${before}`]),
  ];
}

/** This many newest rows show how dense matches are. */
const HEAD = 400;
/** Above this density an ordered scan meets 10,000 before the index has read them. */
const DENSITY = 16;

/** Where the sample implies 10,000, the list is scanned in order. */
const isDense = sql`(select n from dense) > ${sql.lit(SEARCH_COUNT_CAP)}`;

/** In others' envelopes, title and sender are searched; recipients' addresses are private. */
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

function matches(source: Source, search: Search, table = "e"): RawBuilder<unknown> {
  const words = sql`${searchedText(source, search, table)} like ${search.pattern}`;
  return isInbox(source) && search.teams.length > 0
    ? sql`(${words} or ${ofHolders({ holders: search.teams }, `${table}.holder_id`)})`
    : words;
}

/**
 * `dense` samples the head; `found` reads the index of keys unless dense. Both are `materialized`,
 * as the planner cannot estimate combined keys.
 */
function searchSteps(filter: ListFilter, search: Search, orderBy: OrderKey): RawBuilder<unknown> {
  const newest = (limit: number) => newestOf(filter, limit);
  const isNarrow = orderBy !== "deadline_at";
  return sql`
    head as materialized (select count(*) as n from ${newest(HEAD)} where ${matches("own", search)}),
    dense as materialized (
      select count(*) as n from (
        select from ${newest((SEARCH_COUNT_CAP + 1) * DENSITY)}
        where (select n from head) >= ${sql.lit(HEAD / DENSITY)} and ${matches("own", search)} limit ${sql.lit(SEARCH_COUNT_CAP + 1)}) e),
    found as materialized (${unionOf(
      searchedHolders(filter).map(
        ({ holders: [holder = ""] }) => sql`
      select s.envelope_id as id, ${orderKey(orderBy, isNarrow ? "s" : "e")} as key
      from envelope_search s ${isNarrow ? sql`` : sql`join envelopes e on e.id = s.envelope_id`} where ${foundOf(filter, search, holder)}`,
      ),
    )})`;
}

function newestOf(filter: ListFilter, limit: number): RawBuilder<unknown> {
  const order = sql`order by e.created_at desc, e.id desc limit ${sql.lit(limit)}`;
  const [first, ...teams] = searchedHolders(filter).map(
    (one) =>
      sql`(select e.search_text, e.created_at, e.id from envelopes e where ${ownOf(one)} ${order})`,
  );
  return teams.length === 0
    ? sql`${first} e`
    : sql`(select e.search_text from (${unionOf([first as RawBuilder<unknown>, ...teams])}) e ${order}) e`;
}

function foundOf(filter: ListFilter, search: Search, holder: string): RawBuilder<unknown> {
  const statuses = statusesOf(filter);
  const parts = [
    sql`not (${isDense})`,
    sql`search_keys(s.holder_id, s.search_text) @> (select sought_keys(${holder}::uuid, ${search.text}))`,
    sql`s.holder_id = ${holder}::uuid`,
    matches("own", search, "s"),
    ...datesOf(filter, "s"),
    ...(statuses === null ? [] : [sql`s.status in (${sql.join(statuses)})`]),
  ];
  return sql.join(parts, sql` and `);
}

/** Gives stored counts by status, with `action_required` and `received`. */
export async function selectCounts(
  reader: Reader,
  person: Person,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, sum(count)::bigint as count from envelope_counts where ${ofHolders(person, "holder_id")} group by status
    union all
    select 'action_required', ${awaitedCount(person)}
    union all
    select 'received', ${receivedLength(person, "completed")} + ${receivedLength(person, "signed_for")}
  `.execute(reader);
  return new Map(rows.map((row) => [row.status, row.count]));
}

async function selectStoredLength(reader: Reader, filter: ListFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`select ${storedLength(filter)} as count`.execute(
    reader,
  );
  return rows[0]?.count ?? 0;
}

function storedLength(filter: ListFilter): RawBuilder<unknown> {
  return sql.join(
    sourcesOf(filter).map((source) => {
      if (!isInbox(source)) return storedOwnLength(filter);
      if (source === "action_required") return awaitedCount(filter, inTeamOf(filter, "i"));
      return receivedLength(filter, source);
    }),
    sql` + `,
  );
}

function storedOwnLength(filter: ListFilter): RawBuilder<unknown> {
  const statuses = statusesOf(filter);
  const which = statuses === null ? sql`` : sql`and status in (${sql.join(statuses)})`;
  return sql`(select coalesce(sum(count), 0)::bigint from envelope_counts where ${ofHolders({ holders: listedHolders(filter) }, "holder_id")} ${which})`;
}

function receivedCount(filter: ListFilter, source: Exclude<Source, "own">): RawBuilder<unknown> {
  const found =
    filter.search === null
      ? sql``
      : sql`join envelopes e on e.id = i.envelope_id and ${matches(source, filter.search)}`;
  return sql`(select count(*) from (select from envelope_inbox i ${found} where ${inboxOf(filter, source)} limit ${sql.lit(SEARCH_COUNT_CAP + 1)}) received)`;
}

export type ListWindow = {
  readonly orderBy: OrderKey;
  readonly direction: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
};
/** Fields come as their number: a page could have 50,000. */
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

/** Deeper pages are read from the nearer end. */
const DEEP = 1_000;

/** A page and the list's length in one statement (two for a deep page). */
export async function selectEnvelopeList(
  reader: Reader,
  filter: ListFilter,
  window: ListWindow,
): Promise<ListedEnvelopes> {
  const reading = await fromNearerEnd(reader, filter, window);
  const columns = sql.join(ENVELOPE_COLUMNS.map((column) => sql.ref(`e.${column}`)));
  // Each source gives ids up to the page's end; then rows are merged.
  const rows = unionOf(sourcesOf(filter).flatMap((source) => rowsOf(filter, source, reading)));
  const page = sql`
    select ${columns}, ${NAMES}, ${recipientsOf(sql.ref("e.id"))} as recipients, (select count(*) from fields f where f.envelope_id = e.id) as field_count,
      here.key as order_key
    from (select r.id, r.key from (${rows}) r order by ${orderOf(reading, sql.ref("r.key"), "r.id")} limit ${reading.limit} offset ${reading.offset}) here
    join envelopes e on e.id = here.id`;
  const found = await sql<{
    count: number;
    capped: boolean;
    page: PageRow | null;
  }>`
    with ${filter.search === null || !sourcesOf(filter).includes("own") || searchedHolders(filter).length === 0 ? sql`` : sql`${searchSteps(filter, filter.search, window.orderBy)},`}
    total as (${total(filter)}), page as (${page})
    select total.count, total.capped, case when page.id is null then null else to_jsonb(page) end as page
    from total left join page on true
    order by ${orderOf({ ...window, isReversed: false }, sql.ref("page.order_key"), "page.id")}
  `.execute(reader);
  const { count = 0, capped = false } = found.rows[0] ?? {};
  const envelopes = found.rows.flatMap(({ page: row }) => (row === null ? [] : [readListed(row)]));
  return { count: capped ? SEARCH_COUNT_CAP : count, capped, envelopes };
}

const NEAR_AMONG = 400;

export async function selectTexts(
  reader: Reader,
  filter: ListFilter,
  search: Search,
): Promise<readonly string[]> {
  const limit = sql.lit(NEAR_AMONG);
  const texts = sourcesOf(filter).flatMap((source) =>
    isInbox(source)
      ? [
          sql`(select ${searchedText(source, search)} as text from envelope_inbox i join envelopes e on e.id = i.envelope_id
        where ${inboxOf(filter, source)} order by i.created_at desc limit ${limit})`,
        ]
      : eachHolder(filter).map(
          (one) =>
            sql`(select ${searchedText(source, search)} as text from envelopes e where ${ownOf(one)} order by e.created_at desc, e.id desc limit ${limit})`,
        ),
  );
  const { rows } = await sql<{ text: string }>`${unionOf(texts)}`.execute(reader);
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

type Reading = ListWindow & { readonly isReversed: boolean };

async function fromNearerEnd(
  reader: Reader,
  filter: ListFilter,
  window: ListWindow,
): Promise<Reading> {
  const ahead = { ...window, isReversed: false };
  if (window.offset < DEEP || isNarrowed(filter)) return ahead;
  const length = await selectStoredLength(reader, filter);
  if (window.offset <= length / 2) return ahead;
  const limit = Math.max(0, Math.min(window.limit, length - window.offset));
  return {
    ...window,
    isReversed: true,
    limit,
    offset: Math.max(0, length - window.offset - limit),
  };
}

/** Envelopes without a deadline come last in both directions. */
function orderOf(
  { orderBy, direction, isReversed }: Reading,
  key: RawBuilder<unknown>,
  id: string,
): RawBuilder<unknown> {
  const way = (direction === "asc") === isReversed ? "desc" : "asc";
  const nulls = orderBy === "deadline_at" ? ` nulls ${isReversed ? "first" : "last"}` : "";
  return sql`${key} ${sql.raw(`${way}${nulls}`)}, ${sql.ref(id)} ${sql.raw(way)}`;
}

/** Gives a source's part of the page, as (id, key). */
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
    const found = filter.search === null ? sql`` : sql`and ${matches(source, filter.search)}`;
    return [
      sql`(select e.id, ${key} as key from envelope_inbox i join envelopes e on e.id = i.envelope_id
        where ${inboxOf(filter, source)} ${found} order by ${order} limit ${reach})`,
    ];
  }
  // Each status of each holder has its own ordered index.
  const inOrder = (filter.search === null ? eachHolder(filter) : foundByName(filter))
    .flatMap(eachStatus)
    .map(
      (one) =>
        sql`(select e.id, ${key} as key from envelopes e where ${ownOf(one)} order by ${order} limit ${reach})`,
    );
  if (filter.search === null || searchedHolders(filter).length === 0) return inOrder;
  const isFound = matches("own", filter.search);
  return [
    ...inOrder,
    // Dense: read in order ("offset 0" orders before the search) ...
    ...searchedHolders(filter).map(
      (one) => sql`(select e.id, e.key from (
        select e.id, ${key} as key, e.search_text from envelopes e where ${isDense} and ${ownOf(one)} order by ${order} offset 0) e
      where ${isFound} order by ${orderOf(reading, sql.ref("e.key"), "e.id")} limit ${reach})`,
    ),
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

/** Gives the stored length; a narrowed list is counted up to 10,000. */
function total(filter: ListFilter): RawBuilder<unknown> {
  if (!isNarrowed(filter)) return sql`select ${storedLength(filter)} as count, false as capped`;
  const counts = sourcesOf(filter).map((source) => countOf(filter, source));
  return sql`select count, count > ${SEARCH_COUNT_CAP} as capped from (select ${sql.join(counts, sql` + `)} as count) counted`;
}

function countOf(filter: ListFilter, source: Source): RawBuilder<unknown> {
  const enough = sql.lit(SEARCH_COUNT_CAP + 1);
  if (isInbox(source)) return receivedCount(filter, source);
  const whole = filter.search === null ? eachHolder(filter) : foundByName(filter);
  const holders = whole.map(({ holders: [one = ""] }) => one);
  const counts = [
    ...(whole.length === 0
      ? []
      : filter.from === null && filter.before === null
        ? [storedOwnLength({ ...filter, holders, team: null })]
        : [
            sql`(select count(*) from (${unionOf(
              whole.map(
                (one) => sql`(select e.id from envelopes e where ${ownOf(one)} limit ${enough})`,
              ),
            )}) listed)`,
          ]),
    ...(filter.search === null || searchedHolders(filter).length === 0
      ? []
      : [sql`(case when ${isDense} then ${enough} else (select count(*) from found) end)`]),
  ];
  return sql.join(counts, sql` + `);
}

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
