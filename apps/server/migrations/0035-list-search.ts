import { type Kysely, sql } from "kysely";

/** What a search of one's own envelopes reads, and the lists of what others sent with their lengths, all kept by whoever writes. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- The keys under which a text of this owner is found: each run of one to four characters. An owner's keys are theirs alone, so that a search
    -- costs with what they hold, not with what the service holds.
    create function search_keys(owner uuid, searched text) returns bigint[] language plpgsql immutable strict parallel safe cost 100 as $$
    declare
      seed bigint := uuid_hash_extended(owner, 0);
      one text := ''; two text := ''; three text := ''; letter text;
      keys bigint[] := '{}';
    begin
      foreach letter in array string_to_array(searched, null) loop
        keys := keys || hashtextextended(letter, seed) || hashtextextended(one || letter, seed)
          || hashtextextended(two || letter, seed) || hashtextextended(three || letter, seed);
        three := two || letter; two := one || letter; one := letter;
      end loop;
      return keys;
    end $$;
    -- The keys that a text must have to hold this one: up to four characters one key, which says it all; else every second run of four, and the last.
    create function sought_keys(owner uuid, sought text) returns bigint[] language sql immutable strict parallel safe as $$
      select array_agg(hashtextextended(substr(sought, least(place, greatest(length(sought) - 3, 1)), 4), uuid_hash_extended(owner, 0)))
      from generate_series(1, greatest(length(sought) - 2, 1), 2) as place
    $$;

    -- One narrow row for each envelope that is not purged. A change of status touches no index here, so that the keys are written once.
    create table envelope_search (
      envelope_id uuid primary key,
      owner_id uuid not null,
      status text not null,
      created_at timestamptz not null,
      search_text text not null
    ) with (fillfactor = 85);
    insert into envelope_search select id, owner_id, status, created_at, search_text from envelopes where purged_at is null;
    -- Without a pending list: a search would read it whole.
    create index envelope_search_keys on envelope_search using gin (search_keys(owner_id, search_text)) with (fastupdate = off);
    alter index envelope_search_keys alter column 1 set statistics 0;
    -- To start two workers takes longer than most searches.
    alter table envelope_search set (parallel_workers = 0);
    drop index if exists envelopes_search;
    -- A list that is full of what is searched is read in its order, from the index alone.
    drop index envelopes_owner, envelopes_owner_folder, envelopes_owner_status;
    create index envelopes_owner on envelopes (owner_id, created_at desc, id desc) include (search_text) where purged_at is null;
    create index envelopes_owner_folder on envelopes (owner_id, folder, created_at desc, id desc) include (search_text) where purged_at is null;
    create index envelopes_owner_status on envelopes (owner_id, status, created_at desc, id desc) include (search_text) where purged_at is null;

    -- What others ask of an address (list 'action_required': its signature is awaited) and what they completed with it ('completed'), each envelope once.
    create table envelope_inbox (
      envelope_id uuid not null,
      email_key text not null,
      list text not null,
      owner_id uuid not null,
      created_at timestamptz not null,
      primary key (envelope_id, email_key, list)
    );
    create index envelope_inbox_list on envelope_inbox (email_key, list, created_at desc, envelope_id desc) include (owner_id);
    -- By sender: one's own completed envelopes are in another list already.
    create table inbox_counts (
      email_key text not null,
      list text not null,
      owner_id uuid not null,
      count bigint not null,
      primary key (email_key, list, owner_id)
    );
    ${keepers}
    select refresh_envelope_inbox(array(select id from envelopes where purged_at is null and status <> 'draft'));
  `.execute(db);
}

const relevant = (row: string) => sql.raw(`(${row}.awaited or ${row}.notified_at is not null)`);

const keepers = sql`
  create function refresh_envelope_inbox(envelope_ids uuid[]) returns void language plpgsql as $$
  declare emptied text[];
  begin
    with wanted as (
      select e.id, r.email_key, asked.list, e.owner_id, e.created_at
      from envelopes e join recipients r on r.envelope_id = e.id
      cross join lateral (values ('action_required', r.awaited), ('completed', e.status = 'completed' and r.notified_at is not null)) as asked (list, is_in)
      where e.id = any(envelope_ids) and e.purged_at is null and asked.is_in
      group by e.id, r.email_key, asked.list
    ), gone as (
      delete from envelope_inbox i where i.envelope_id = any(envelope_ids)
        and not exists (select from wanted w where w.id = i.envelope_id and w.email_key = i.email_key and w.list = i.list)
      returning i.email_key, i.list, i.owner_id
    ), come as (
      insert into envelope_inbox as i (envelope_id, email_key, list, owner_id, created_at) select id, email_key, list, owner_id, created_at from wanted
      on conflict do nothing returning i.email_key, i.list, i.owner_id
    ), kept as (
      -- Rows are touched in order, so that two writers never wait for each other within one statement.
      insert into inbox_counts as c (email_key, list, owner_id, count)
      select email_key, list, owner_id, sum(change) from (select *, 1 as change from come union all select *, -1 from gone) changes
      group by email_key, list, owner_id having sum(change) <> 0 order by email_key, list, owner_id
      on conflict (email_key, list, owner_id) do update set count = c.count + excluded.count
      returning c.email_key, c.count
    )
    select array_agg(email_key) filter (where count = 0) into emptied from kept;
    -- An address is not kept for nothing.
    if emptied is not null then delete from inbox_counts where email_key = any(emptied) and count = 0; end if;
  end $$;

  create function keep_envelope_search_on_insert() returns trigger language plpgsql as $$
  begin
    insert into envelope_search select id, owner_id, status, created_at, search_text from new_rows where purged_at is null;
    return null;
  end $$;
  create function keep_envelope_search_on_update() returns trigger language plpgsql as $$
  declare moved uuid[];
  begin
    delete from envelope_search s using new_rows n where s.envelope_id = n.id and n.purged_at is not null;
    update envelope_search s set owner_id = n.owner_id, status = n.status, search_text = n.search_text from new_rows n
    where s.envelope_id = n.id and (s.status <> n.status or s.search_text <> n.search_text or s.owner_id <> n.owner_id);
    select array_agg(n.id) into moved from new_rows n join old_rows o on o.id = n.id
    where (n.status = 'completed') <> (o.status = 'completed') or (n.purged_at is null) <> (o.purged_at is null);
    if moved is not null then perform refresh_envelope_inbox(moved); end if;
    return null;
  end $$;
  create function keep_envelope_search_on_delete() returns trigger language plpgsql as $$
  begin
    delete from envelope_search s using old_rows o where s.envelope_id = o.id;
    return null;
  end $$;
  create trigger keep_envelope_search_on_insert after insert on envelopes referencing new table as new_rows
    for each statement execute function keep_envelope_search_on_insert();
  create trigger keep_envelope_search_on_update after update on envelopes referencing old table as old_rows new table as new_rows
    for each statement execute function keep_envelope_search_on_update();
  create trigger keep_envelope_search_on_delete after delete on envelopes referencing old table as old_rows
    for each statement execute function keep_envelope_search_on_delete();

  create function keep_inbox_on_insert() returns trigger language plpgsql as $$
  declare moved uuid[] := array(select distinct envelope_id from new_rows n where ${relevant("n")});
  begin
    if cardinality(moved) > 0 then perform refresh_envelope_inbox(moved); end if;
    return null;
  end $$;
  create function keep_inbox_on_update() returns trigger language plpgsql as $$
  declare moved uuid[] := array(
    select distinct n.envelope_id from new_rows n join old_rows o on o.id = n.id
    where n.awaited <> o.awaited or (n.notified_at is null) <> (o.notified_at is null) or n.email_key <> o.email_key);
  begin
    if cardinality(moved) > 0 then perform refresh_envelope_inbox(moved); end if;
    return null;
  end $$;
  create function keep_inbox_on_delete() returns trigger language plpgsql as $$
  declare moved uuid[] := array(select distinct envelope_id from old_rows o where ${relevant("o")});
  begin
    if cardinality(moved) > 0 then perform refresh_envelope_inbox(moved); end if;
    return null;
  end $$;
  create trigger keep_inbox_on_insert after insert on recipients referencing new table as new_rows
    for each statement execute function keep_inbox_on_insert();
  create trigger keep_inbox_on_update after update on recipients referencing old table as old_rows new table as new_rows
    for each statement execute function keep_inbox_on_update();
  create trigger keep_inbox_on_delete after delete on recipients referencing old table as old_rows
    for each statement execute function keep_inbox_on_delete();
`;
