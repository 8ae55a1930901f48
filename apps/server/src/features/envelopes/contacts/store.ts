import type {
  ContactOrigin,
  ContactsQuery,
  KnownDomains,
  Suggestion,
  TeamRef,
} from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Database, Reader, Transaction } from "../../../platform/database/database.ts";

export type StoredContact = {
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly second_email: string | null;
  readonly phone_number: string | null;
  readonly company: string | null;
  readonly origin: string;
  readonly sent_count: number;
  readonly last_sent_at: Date | null;
  readonly created_at: Date;
  readonly owner_id: string;
  readonly team: TeamRef | null;
};

export type ContactDetails = {
  readonly full_name: string;
  readonly email: string;
  readonly email_key: string;
  readonly second_email: string | null;
  readonly second_email_key: string | null;
  readonly phone_number: string | null;
  readonly company: string | null;
};

/** `holders`: the account and teams whose lists may have it. */
type Held = { readonly id: string; readonly holders: readonly string[] };
type Written = { readonly id: string; readonly ownerId: string; readonly team: TeamRef | null };

const COLUMNS = [
  "id",
  "full_name",
  "email",
  "second_email",
  "phone_number",
  "company",
  "origin",
  "sent_count",
  "last_sent_at",
  "created_at",
  "owner_id",
  sql<TeamRef | null>`(
    select json_build_object('id', g.id, 'name', g.name) from teams g where g.id = team_id)`.as(
    "team",
  ),
] as const;

/** Makes a holder's additions wait for each other; sendings take no lock. */
export async function lockContacts(trx: Transaction, holderId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('contacts:' || ${holderId}, 0))`.execute(
    trx,
  );
}

export async function countContacts(reader: Reader, holderId: string): Promise<number> {
  const { count } = await reader
    .selectFrom("contacts")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("holder_id", "=", holderId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

type ContactPage = {
  readonly holders: readonly string[];
  readonly patterns: readonly string[];
  /** The search names these teams, so all their contacts are found. */
  readonly namedTeams: readonly string[];
  readonly origin: ContactOrigin | undefined;
  readonly ordering: NonNullable<ContactsQuery["ordering"]>;
  readonly page: number;
  readonly pageSize: number;
};

export async function selectContacts(
  reader: Reader,
  { holders, patterns, namedTeams, origin, ordering, page, pageSize }: ContactPage,
): Promise<{ readonly count: number; readonly rows: readonly StoredContact[] }> {
  let found = reader.selectFrom("contacts").where("holder_id", "in", [...holders]);
  if (patterns.length > 0)
    found = found.where(({ or }) =>
      or([matches(patterns), sql<boolean>`holder_id = any(${sql.val([...namedTeams])}::uuid[])`]),
    );
  if (origin !== undefined) found = found.where("origin", "=", origin);
  const { count } = await found
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  const ordered =
    ordering === "name"
      ? found.orderBy("name_key").orderBy("id")
      : found.orderBy(RECENT).orderBy("created_at", "desc").orderBy("id", "desc");
  const rows = await ordered
    .select(COLUMNS)
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { count: Number(count), rows };
}

const RECENT = sql`last_sent_at desc nulls last`;

function matches(patterns: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`search_text like all (${sql.val([...patterns])}::text[])`;
}

export async function selectContactsAfter(
  reader: Reader,
  asked: {
    readonly holders: readonly string[];
    readonly afterId: string | null;
    readonly limit: number;
  },
): Promise<readonly StoredContact[]> {
  let rows = reader
    .selectFrom("contacts")
    .select(COLUMNS)
    .where("holder_id", "in", [...asked.holders]);
  if (asked.afterId !== null) rows = rows.where("id", ">", asked.afterId);
  return rows.orderBy("id").limit(asked.limit).execute();
}

/** Proposes second addresses too. The index gives one holder's in order. */
export async function selectSuggestions(
  reader: Reader,
  asked: {
    readonly holders: readonly string[];
    readonly patterns: readonly string[];
    readonly limit: number;
  },
): Promise<readonly Suggestion[]> {
  const found = asked.patterns.length === 0 ? sql`true` : matches(asked.patterns);
  const each = asked.holders.map(
    (holder) => sql`(
      select full_name, email, second_email, phone_number, last_sent_at, created_at, id
      from contacts where holder_id = ${holder}::uuid and ${found}
      order by ${RECENT}, created_at desc, id desc limit ${asked.limit})`,
  );
  const { rows } = await sql<Suggestion>`
    select full_name, address as email, phone_number
    from (${sql.join(each, sql` union all `)}) recent
    cross join lateral (values (1, email), (2, second_email)) addresses (rank, address)
    where address is not null
    order by ${RECENT}, created_at desc, id desc, rank limit ${asked.limit}`.execute(reader);
  return rows;
}

export async function selectKnownDomains(
  reader: Reader,
  asked: { readonly holders: readonly string[]; readonly limit: number },
): Promise<KnownDomains["results"]> {
  const { rows } = await sql<{ domain: string; people: number }>`
    select split_part(key, '@', 2) as domain, count(*)::int as people
    from contacts cross join lateral (values (email_key), (second_email_key)) addresses (key)
    where holder_id = any(${sql.val([...asked.holders])}::uuid[]) and key is not null
    group by 1 order by 2 desc, 1 limit ${asked.limit}`.execute(reader);
  return rows;
}

export async function selectContact(
  reader: Reader,
  { id, holders }: Held,
): Promise<StoredContact | null> {
  const row = await reader
    .selectFrom("contacts")
    .select(COLUMNS)
    .where("id", "=", id)
    .where("holder_id", "in", [...holders])
    .executeTakeFirst();
  return row ?? null;
}

/** Gives the addresses that other contacts of the holder have. */
export async function selectTakenKeys(
  reader: Reader,
  asked: { readonly holderId: string; readonly keys: readonly string[]; readonly except: string[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`
    select key from unnest(${sql.val([...asked.keys])}::text[]) wanted (key)
    where exists (
      select from contacts c where c.holder_id = ${asked.holderId}::uuid and c.email_key = key
        and c.id <> all (${sql.val(asked.except)}::uuid[])
    ) or exists (
      select from contacts c where c.holder_id = ${asked.holderId}::uuid and c.second_email_key = key
        and c.id <> all (${sql.val(asked.except)}::uuid[])
    )`.execute(reader);
  return new Set(rows.map(({ key }) => key));
}

export async function insertContact(
  trx: Transaction,
  contact: Written & { readonly details: ContactDetails; readonly now: Date },
): Promise<void> {
  await trx
    .insertInto("contacts")
    .values({
      id: contact.id,
      owner_id: contact.ownerId,
      team_id: contact.team?.id ?? null,
      ...contact.details,
      origin: "added",
      created_at: contact.now,
      updated_at: contact.now,
    })
    .execute();
}

export async function updateContact(
  trx: Transaction,
  contact: Written & { readonly details: ContactDetails; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("contacts")
    .set({
      ...contact.details,
      owner_id: contact.ownerId,
      team_id: contact.team?.id ?? null,
      updated_at: contact.now,
    })
    .where("id", "=", contact.id)
    .execute();
}

export async function addSent(
  trx: Transaction,
  { id, from }: { readonly id: string; readonly from: StoredContact },
): Promise<void> {
  await trx
    .updateTable("contacts")
    .set((eb) => ({
      sent_count: eb("sent_count", "+", from.sent_count),
      last_sent_at: eb.fn<Date | null>("greatest", ["last_sent_at", eb.val(from.last_sent_at)]),
    }))
    .where("id", "=", id)
    .execute();
}

export async function deleteContact(reader: Reader, { id, holders }: Held): Promise<boolean> {
  const { numDeletedRows } = await reader
    .deleteFrom("contacts")
    .where("id", "=", id)
    .where("holder_id", "in", [...holders])
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

type Folding = { readonly from: string; readonly to?: string; readonly ids?: readonly string[] };

/** Whom the next holder knows already becomes one contact. `to`: else each goes to its owner. */
export async function foldContacts(trx: Transaction, { from, to, ids }: Folding): Promise<void> {
  await sql`
    with gone as (
      delete from contacts t using contacts o
      where t.holder_id = ${from}::uuid and o.email_key = t.email_key
        and o.holder_id = ${to === undefined ? sql`t.owner_id` : sql`${to}::uuid`}
        and ${ids === undefined ? sql`true` : sql`t.id = any(${sql.val([...ids])}::uuid[])`}
      returning o.id, t.second_email, t.second_email_key, t.phone_number, t.company, t.sent_count,
        t.last_sent_at)
    update contacts o set second_email = coalesce(o.second_email, gone.second_email),
      second_email_key = coalesce(o.second_email_key, gone.second_email_key),
      phone_number = coalesce(o.phone_number, gone.phone_number),
      company = coalesce(o.company, gone.company), sent_count = o.sent_count + gone.sent_count,
      last_sent_at = greatest(o.last_sent_at, gone.last_sent_at)
    from gone where o.id = gone.id`.execute(trx);
}

/** So many are rewritten well within a statement's time. */
const PASSED_AT_ONCE = 5_000;

export async function passContacts(
  trx: Transaction,
  {
    from,
    to,
    teamId,
  }: { readonly from: string; readonly to: string; readonly teamId: string | null },
): Promise<void> {
  const holderId = teamId ?? to;
  await lockContacts(trx, holderId);
  for (;;) {
    const rows = await trx
      .selectFrom("contacts")
      .select("id")
      .where("holder_id", "=", from)
      .limit(PASSED_AT_ONCE)
      .execute();
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await foldContacts(trx, { from, to: holderId, ids });
    await trx
      .updateTable("contacts")
      .set({ owner_id: to, team_id: teamId })
      .where(sql<boolean>`id = any(${sql.val(ids)}::uuid[])`)
      .execute();
  }
}

/** The contacts of an owner's teams stay. Idempotent. */
export async function deleteContactsOf(db: Database, ownerId: string): Promise<void> {
  await db.deleteFrom("contacts").where("holder_id", "=", ownerId).execute();
  for (const table of ["contact_imports", "contact_settings"] as const)
    await db.deleteFrom(table).where("owner_id", "=", ownerId).execute();
}

export async function selectKeepsSent(reader: Reader, ownerId: string): Promise<boolean> {
  const row = await reader
    .selectFrom("contact_settings")
    .select("keeps_sent")
    .where("owner_id", "=", ownerId)
    .executeTakeFirst();
  return row?.keeps_sent ?? true;
}

export async function upsertKeepsSent(
  reader: Reader,
  { ownerId, keepsSent }: { readonly ownerId: string; readonly keepsSent: boolean },
): Promise<void> {
  await reader
    .insertInto("contact_settings")
    .values({ owner_id: ownerId, keeps_sent: keepsSent })
    .onConflict((conflict) => conflict.column("owner_id").doUpdateSet({ keeps_sent: keepsSent }))
    .execute();
}

export type SentPerson = {
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly email_key: string;
  readonly phone_number: string | null;
};

/**
 * Stores who was asked, unless the account turned it off or its team knows them. The first name
 * stays, the last number wins. Sorted by key, so that sendings do not deadlock.
 */
export async function upsertSent(
  db: Reader,
  sent: {
    readonly ownerId: string;
    readonly teamIds: readonly string[];
    readonly people: readonly SentPerson[];
    readonly now: Date;
  },
): Promise<void> {
  // A list as parameter would be planned at each call.
  const teams = sql`c.holder_id = any(array(select unnest(${sql.val([...sent.teamIds])}::uuid[])))`;
  const json = JSON.stringify(sent.people);
  await sql`
    with person as (
      select id, full_name, email, email_key, phone_number from json_to_recordset(${json}::json)
        as p (id uuid, full_name text, email text, email_key text, phone_number text)
      where not exists (
        select from contact_settings where owner_id = ${sent.ownerId}::uuid and not keeps_sent
      )
    ), second as (
      update contacts c set sent_count = c.sent_count + 1, last_sent_at = ${sent.now},
        phone_number = coalesce(p.phone_number, c.phone_number)
      from person p
      where c.holder_id = ${sent.ownerId}::uuid and c.second_email_key = p.email_key
        or ${teams} and c.email_key = p.email_key or ${teams} and c.second_email_key = p.email_key
      returning p.email_key
    )
    insert into contacts (id, owner_id, full_name, email, email_key, phone_number, origin,
      sent_count, last_sent_at, created_at, updated_at)
    select id, ${sent.ownerId}::uuid, full_name, email, email_key, phone_number, 'sent',
      1, ${sent.now}, ${sent.now}, ${sent.now}
    from person where email_key not in (select email_key from second) order by email_key
    on conflict (holder_id, email_key) do update set
      email = excluded.email,
      phone_number = coalesce(excluded.phone_number, contacts.phone_number),
      sent_count = contacts.sent_count + 1,
      last_sent_at = excluded.last_sent_at`.execute(db);
}

/** Deletes an address that comes from one mistaken sending only. */
export async function deleteMistaken(
  db: Reader,
  mistaken: { readonly ownerId: string; readonly emailKey: string },
): Promise<void> {
  await db
    .deleteFrom("contacts")
    .where("holder_id", "=", mistaken.ownerId)
    .where("email_key", "=", mistaken.emailKey)
    .where("origin", "=", "sent")
    .where("sent_count", "<=", 1)
    .execute();
}

type Pair = { readonly first_id: string; readonly second_id: string };

/**
 * Gives pairs with one address, or one name with one domain or number, unless separated. Among more than
 * two, only neighbours are compared, so that reading stays linear.
 */
export async function selectDoubles(
  reader: Reader,
  asked: { readonly ownerId: string; readonly limit: number },
): Promise<{ readonly count: number; readonly pairs: readonly Pair[] }> {
  const { rows } = await sql<Pair & { count: number }>`
    with keys as (
      select id, 'address ' || email_key as key from contacts where holder_id = ${asked.ownerId}::uuid
      union all
      select id, 'address ' || second_email_key from contacts
      where holder_id = ${asked.ownerId}::uuid and second_email_key is not null
      union all
      select id, 'name ' || name_key || '@' || split_part(email_key, '@', 2) from contacts
      where holder_id = ${asked.ownerId}::uuid
      union all
      select id, 'number ' || name_key || phone_number from contacts
      where holder_id = ${asked.ownerId}::uuid and phone_number is not null
    ), pairs as (
      select lag(id) over (partition by key order by id) as first_id, id as second_id from keys
    ), alike as (
      select distinct p.first_id, p.second_id from pairs p
      where p.first_id <> p.second_id and not exists (
        select from contacts_apart a where a.first_id = p.first_id and a.second_id = p.second_id
      )
    )
    select first_id, second_id, count(*) over ()::int as count
    from alike order by second_id desc, first_id limit ${asked.limit}`.execute(reader);
  return { count: rows[0]?.count ?? 0, pairs: rows };
}

export async function selectContactsById(
  reader: Reader,
  asked: { readonly ownerId: string; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, StoredContact>> {
  if (asked.ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom("contacts")
    .select(COLUMNS)
    .where("holder_id", "=", asked.ownerId)
    .where("id", "in", asked.ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export async function insertApart(
  trx: Transaction,
  pair: readonly [string, string],
): Promise<void> {
  const [first_id, second_id] = pair;
  await trx
    .insertInto("contacts_apart")
    .values({ first_id, second_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
