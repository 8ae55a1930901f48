create table envelopes (
  id uuid primary key,
  -- Chosen by whoever prepares: « Convention ».
  document_kind text,
  -- {id, name, imposed, steps}: the circuit as it was when it was chosen.
  circuit jsonb,
  version integer not null default 1,
  -- Whoever made it, or took it over: mails about it go there.
  owner_id uuid not null references users,
  team_id uuid references teams on delete set null,
  -- Whose lists it stands in: its team's, or its owner's.
  holder_id uuid not null generated always as (coalesce(team_id, owner_id)) stored,
  created_by_name text not null,
  title text not null,
  -- Title, line feed, creator: lower case, without accents. Searches and title order use it.
  search_text text not null,
  message text,
  -- The list an envelope stands in; lists and their indexes are cut by it.
  folder text not null generated always as (
    case when status in ('draft', 'completed', 'cancelled') then status else 'sent' end) stored,
  status text not null check (status in (
    'draft', 'sent', 'pending', 'completed', 'declined', 'expired', 'cancelled')),
  status_before_cancel text,
  flow text not null check (flow in ('parallel', 'sequential')),
  signer_count integer not null default 0,
  signed_count integer not null default 0,
  level text check (level in ('B-B', 'B-T', 'B-LT', 'B-LTA')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  sent_at timestamptz,
  completed_at timestamptz,
  deadline_at timestamptz,
  cancelled_at timestamptz,
  purged_at timestamptz,
  -- The last warning given, in days before the deadline.
  deadline_warned_days smallint,
  -- Null: no automatic reminder.
  remind_every_days smallint check (remind_every_days between 1 and 30),
  -- The moment to look whether a reminder is due: at the latest when one is.
  next_reminder_at timestamptz,
  -- The last time a recipient asked for a longer deadline and the sender was notified.
  extension_requested_at timestamptz,
  -- The last announcement of a deadline that was asked for.
  deadline_announcement uuid,
  -- « Preuve seule »: a print's code shows what the document is worth, not the document.
  proof_only boolean not null default false,
  constraint envelopes_signed_check
    check (signer_count >= 0 and signed_count between 0 and signer_count),
  constraint envelopes_cancelled_check check (
    case when status = 'cancelled'
      then cancelled_at is not null and status_before_cancel in (
          'draft', 'sent', 'pending', 'completed', 'declined', 'expired')
        and status_before_cancel is not null
      else cancelled_at is null and status_before_cancel is null end)
);
-- Each list is read from an index that ends with its sort key: a page costs the same at any size.
-- A list that is full of the searched text is read in its order, from the index alone.
create index envelopes_holder on envelopes (holder_id, created_at desc, id desc)
  include (search_text) where purged_at is null;
create index envelopes_holder_folder on envelopes (holder_id, folder, created_at desc, id desc)
  include (search_text) where purged_at is null;
create index envelopes_holder_status on envelopes (holder_id, status, created_at desc, id desc)
  include (search_text) where purged_at is null;
-- "C": the same order whatever the locale of the database; the text is folded already.
create index envelopes_holder_title on envelopes (holder_id, (search_text collate "C"), id)
  where purged_at is null;
create index envelopes_holder_deadline on envelopes (holder_id, deadline_at, id)
  where purged_at is null;
create index envelopes_holder_due on envelopes (holder_id, deadline_at)
  where status in ('sent', 'pending') and purged_at is null and deadline_at is not null;
create index envelopes_holder_drafts on envelopes (holder_id, updated_at desc)
  where status = 'draft' and purged_at is null;
create index envelopes_holder_returned on envelopes (holder_id)
  where status = 'draft' and sent_at is not null and purged_at is null;
create index envelopes_completed on envelopes (holder_id, completed_at desc)
  where status = 'completed' and purged_at is null;
create index envelopes_deadline on envelopes (deadline_at) where status in ('sent', 'pending');
create index envelopes_cancelled on envelopes (cancelled_at)
  where status = 'cancelled' and purged_at is null;
-- Closed envelopes, by the moment their retention begins.
create index envelopes_retention on envelopes (coalesce(completed_at, updated_at))
  where purged_at is null and status in ('completed', 'declined', 'expired');
create index envelopes_next_reminder on envelopes (next_reminder_at)
  where next_reminder_at is not null and status in ('sent', 'pending') and purged_at is null;
-- Whether an abandoned account still has an envelope, before it is removed.
create index envelopes_owner_id on envelopes (owner_id);
create index envelopes_team on envelopes (team_id) where team_id is not null;

create table recipients (
  id uuid primary key,
  envelope_id uuid not null references envelopes on delete cascade,
  position integer not null,
  routing_order integer not null,
  role text not null check (role in ('signer', 'approver', 'visa', 'viewer')),
  email text not null,
  email_key text not null,
  full_name text not null,
  phone_number text,
  status text not null check (status in (
    'waiting', 'notified', 'viewed', 'approved', 'signed', 'declined')),
  -- True while this person's signature is asked for now: its turn, envelope open.
  awaited boolean not null default false,
  notified_at timestamptz,
  viewed_at timestamptz,
  signed_at timestamptz,
  -- When a visa was given.
  approved_at timestamptz,
  -- When whoever had the step gave it to this person, and the former person's e-mail key.
  reassigned_at timestamptz,
  reassigned_from text,
  declined_at timestamptz,
  decline_reason text,
  reminded_at timestamptz,
  -- Wrong codes since the sender's last reminder: 20 freeze the link (security line 37).
  wrong_tries integer not null default 0,
  -- The last message that asked this person to sign: reminders are counted from it.
  asked_at timestamptz,
  automatic_reminders smallint not null default 0,
  -- The last deadline that this person was notified of.
  told_deadline_at timestamptz,
  -- Their link had stopped and works again, and they were not notified of it yet.
  untold_reopening boolean not null default false,
  -- Who agreed for this person: {user_id, delegation_id, full_name, email, starts_on, ends_on}.
  delegate jsonb,
  -- Positions are exchanged within one change: they are checked at its commit.
  constraint recipients_place unique (envelope_id, position) deferrable initially deferred,
  constraint recipients_whole unique (envelope_id, id)
);
create index recipients_awaited on recipients (email_key, envelope_id) where awaited;
create index recipients_email on recipients (email_key, envelope_id);

create table recipient_tokens (
  token_sha256 bytea primary key,
  recipient_id uuid not null references recipients on delete cascade,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index recipient_tokens_recipient on recipient_tokens (recipient_id);

create table templates (
  id uuid primary key,
  owner_id uuid not null references users,
  team_id uuid references teams on delete set null,
  holder_id uuid not null generated always as (coalesce(team_id, owner_id)) stored,
  name text not null,
  -- What two names are compared by: lower case, without accents.
  name_key text not null,
  -- {title, message, flow, roles, fields}: read and written whole, never searched.
  content jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (holder_id, name_key)
);
create index templates_owner on templates (owner_id);
create index templates_team on templates (team_id) where team_id is not null;

-- Bytes are stored under their SHA-256 and shared with the envelopes that have the same file.
create table template_documents (
  template_id uuid not null references templates on delete cascade,
  position integer not null,
  name text not null,
  page_count integer not null,
  blob_sha256 bytea not null,
  size bigint not null,
  primary key (template_id, position)
);
create index template_documents_blob on template_documents (blob_sha256);

-- A CSV sent with a template: each line becomes an envelope. Gone 30 days after its end.
create table mailings (
  id uuid primary key,
  owner_id uuid not null references users on delete cascade,
  -- The owner; or the team or organisation whose key made it.
  holder_id uuid not null,
  template_id uuid references templates on delete set null,
  template_name text not null,
  file_name text not null,
  separator text not null,
  encoding text not null,
  -- {columns, people, deadline_days}: read and written whole, never searched.
  plan jsonb not null,
  state text not null default 'ready' check (state in ('ready', 'running', 'done')),
  -- A limit of the service delays it; the sentence says which.
  paused_until timestamptz,
  pause_detail text,
  -- Who started it: the program's key by name, if any.
  program text,
  started_by_key uuid,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index mailings_holder on mailings (holder_id, created_at);
create index mailings_owner on mailings (owner_id);

create table mailing_rows (
  mailing_id uuid not null references mailings on delete cascade,
  line integer not null,
  cells jsonb not null,
  choice text check (choice in ('send', 'leave')),
  state text not null check (state in ('ready', 'refused', 'double', 'left', 'sent', 'failed')),
  note text,
  fault_column integer,
  -- Set in the transaction that makes the envelope: no line makes two.
  envelope_id uuid unique references envelopes on delete set null,
  primary key (mailing_id, line)
);

-- Places of fields, to be put on other documents.
create table layouts (
  id uuid primary key,
  owner_id uuid not null references users,
  team_id uuid references teams on delete set null,
  holder_id uuid not null generated always as (coalesce(team_id, owner_id)) stored,
  name text not null,
  -- What two names are compared by: lower case, without accents.
  name_key text not null,
  -- By the ranks of their documents and people: read and written whole, never searched.
  fields jsonb not null,
  created_at timestamptz not null,
  unique (holder_id, name_key)
);
create index layouts_owner on layouts (owner_id);
create index layouts_team on layouts (team_id) where team_id is not null;

-- The tables below are derived from the ones above, by triggers, for lists and the dashboard.

-- Envelopes by holder and status.
create table envelope_counts (
  holder_id uuid not null,
  status text not null,
  count bigint not null,
  primary key (holder_id, status)
);
-- The same by the day of creation in Paris, for the dashboard. `completed_days`: the sum of the
-- times from creation to completion.
create table envelope_days (
  holder_id uuid not null,
  day date not null,
  created bigint not null,
  completed bigint not null,
  completed_days double precision not null,
  primary key (holder_id, day)
);

-- One pass for each statement, however many rows it wrote. Rows are written in order, so that two
-- writers never wait for each other; counts that do not change are not written.
create function keep_envelope_counts_on_insert() returns trigger language plpgsql as $$
begin
  insert into envelope_counts (holder_id, status, count)
  select holder_id, status, sum(change) from (
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from new_rows where purged_at is null) changes
  group by holder_id, status having sum(change) <> 0 order by holder_id, status
  on conflict (holder_id, status) do update set count = envelope_counts.count + excluded.count;
  insert into envelope_days (holder_id, day, created, completed, completed_days)
  select holder_id, day, sum(change),
    coalesce(sum(change) filter (where status = 'completed'), 0),
    coalesce(sum(change * days) filter (where status = 'completed'), 0)
  from (
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from new_rows where purged_at is null) changes
  group by holder_id, day
  having sum(change) <> 0 or sum(change) filter (where status = 'completed') <> 0
    or sum(change * days) filter (where status = 'completed') <> 0
  order by holder_id, day
  on conflict (holder_id, day) do update set
    created = envelope_days.created + excluded.created,
    completed = envelope_days.completed + excluded.completed,
    completed_days = envelope_days.completed_days + excluded.completed_days;
  return null;
end $$;
create trigger keep_envelope_counts_on_insert after insert on envelopes
  referencing new table as new_rows
  for each statement execute function keep_envelope_counts_on_insert();

create function keep_envelope_counts_on_delete() returns trigger language plpgsql as $$
begin
  insert into envelope_counts (holder_id, status, count)
  select holder_id, status, sum(change) from (
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      -1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from old_rows where purged_at is null) changes
  group by holder_id, status having sum(change) <> 0 order by holder_id, status
  on conflict (holder_id, status) do update set count = envelope_counts.count + excluded.count;
  insert into envelope_days (holder_id, day, created, completed, completed_days)
  select holder_id, day, sum(change),
    coalesce(sum(change) filter (where status = 'completed'), 0),
    coalesce(sum(change * days) filter (where status = 'completed'), 0)
  from (
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      -1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from old_rows where purged_at is null) changes
  group by holder_id, day
  having sum(change) <> 0 or sum(change) filter (where status = 'completed') <> 0
    or sum(change * days) filter (where status = 'completed') <> 0
  order by holder_id, day
  on conflict (holder_id, day) do update set
    created = envelope_days.created + excluded.created,
    completed = envelope_days.completed + excluded.completed,
    completed_days = envelope_days.completed_days + excluded.completed_days;
  return null;
end $$;
create trigger keep_envelope_counts_on_delete after delete on envelopes
  referencing old table as old_rows
  for each statement execute function keep_envelope_counts_on_delete();

create function keep_envelope_counts_on_update() returns trigger language plpgsql as $$
begin
  insert into envelope_counts (holder_id, status, count)
  select holder_id, status, sum(change) from (
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      -1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from old_rows where purged_at is null
    union all
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from new_rows where purged_at is null) changes
  group by holder_id, status having sum(change) <> 0 order by holder_id, status
  on conflict (holder_id, status) do update set count = envelope_counts.count + excluded.count;
  insert into envelope_days (holder_id, day, created, completed, completed_days)
  select holder_id, day, sum(change),
    coalesce(sum(change) filter (where status = 'completed'), 0),
    coalesce(sum(change * days) filter (where status = 'completed'), 0)
  from (
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      -1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from old_rows where purged_at is null
    union all
    select holder_id, status, (created_at at time zone 'Europe/Paris')::date as day,
      1 as change, extract(epoch from updated_at - created_at) / 86400 as days
    from new_rows where purged_at is null) changes
  group by holder_id, day
  having sum(change) <> 0 or sum(change) filter (where status = 'completed') <> 0
    or sum(change * days) filter (where status = 'completed') <> 0
  order by holder_id, day
  on conflict (holder_id, day) do update set
    created = envelope_days.created + excluded.created,
    completed = envelope_days.completed + excluded.completed,
    completed_days = envelope_days.completed_days + excluded.completed_days;
  return null;
end $$;
create trigger keep_envelope_counts_on_update after update on envelopes
  referencing old table as old_rows new table as new_rows
  for each statement execute function keep_envelope_counts_on_update();

-- The text that a holder's search reads: one narrow row for each envelope that is not purged.
-- A change of status touches no index here, so that the keys are written once.
-- `parallel_workers`: to start two workers takes longer than most searches.
create table envelope_search (
  envelope_id uuid primary key,
  holder_id uuid not null,
  status text not null,
  created_at timestamptz not null,
  search_text text not null
) with (fillfactor = 85, parallel_workers = 0);

-- The keys under which a text of this holder is found: each run of one to four characters. Keys
-- depend on the holder, so that a search costs with what they have, not with the whole service.
create function search_keys(holder uuid, searched text) returns bigint[]
  language plpgsql immutable strict parallel safe cost 100 as $$
declare
  seed bigint := uuid_hash_extended(holder, 0);
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
-- The keys that a text must have to contain this one: one key up to four characters; then every
-- second run of four, and the last.
create function sought_keys(holder uuid, sought text) returns bigint[]
  language sql immutable strict parallel safe as $$
  select array_agg(hashtextextended(
    substr(sought, least(place, greatest(length(sought) - 3, 1)), 4),
    uuid_hash_extended(holder, 0)))
  from generate_series(1, greatest(length(sought) - 2, 1), 2) as place
$$;
-- Without a pending list, which a search would read whole.
create index envelope_search_keys on envelope_search
  using gin (search_keys(holder_id, search_text)) with (fastupdate = off);
alter index envelope_search_keys alter column 1 set statistics 0;

-- Envelopes of others that concern an address, each once. `list`: 'action_required', its signature
-- is awaited; 'completed', completed with it; 'signed_for', completed, and the account whose id
-- stands in `email_key` answered by delegation without being asked itself.
create table envelope_inbox (
  envelope_id uuid not null,
  email_key text not null,
  list text not null,
  holder_id uuid not null,
  created_at timestamptz not null,
  primary key (envelope_id, email_key, list)
);
create index envelope_inbox_list
  on envelope_inbox (email_key, list, created_at desc, envelope_id desc) include (holder_id);
-- Their number by sender: one's own completed envelopes are in another list already.
create table inbox_counts (
  email_key text not null,
  list text not null,
  holder_id uuid not null,
  count bigint not null,
  primary key (email_key, list, holder_id)
);

-- Ids come from a part of the statement: with a list as parameter it is planned at each call.
create function refresh_envelope_inbox(envelope_ids uuid[]) returns void language plpgsql as $$
declare emptied text[];
begin
  with wanted as (
    select e.id, r.email_key, asked.list, e.holder_id, e.created_at
    from envelopes e join recipients r on r.envelope_id = e.id
    cross join lateral (values
      ('action_required', r.awaited),
      ('completed', e.status = 'completed' and r.notified_at is not null)) as asked (list, is_in)
    where e.id = any(array(select unnest(envelope_ids))) and e.purged_at is null and asked.is_in
    group by e.id, r.email_key, asked.list
    union
    select e.id, r.delegate->>'user_id', 'signed_for', e.holder_id, e.created_at
    from envelopes e join recipients r on r.envelope_id = e.id
    where e.id = any(envelope_ids) and e.purged_at is null and e.status = 'completed'
      and r.delegate is not null and not exists (
        select from users u join recipients o on o.envelope_id = e.id
          and o.email_key = u.email_key and o.notified_at is not null
        where u.id = (r.delegate->>'user_id')::uuid and u.address_confirmed_at is not null)
  ), gone as (
    delete from envelope_inbox i
    where i.envelope_id = any(array(select unnest(envelope_ids))) and not exists (
      select from wanted w
      where w.id = i.envelope_id and w.email_key = i.email_key and w.list = i.list)
    returning i.email_key, i.list, i.holder_id
  ), come as (
    insert into envelope_inbox as i (envelope_id, email_key, list, holder_id, created_at)
    select id, email_key, list, holder_id, created_at from wanted
    on conflict do nothing returning i.email_key, i.list, i.holder_id
  ), moved as (
    -- The envelope has another holder.
    update envelope_inbox i set holder_id = w.holder_id
    from wanted w join envelope_inbox b on b.envelope_id = w.id and b.email_key = w.email_key
      and b.list = w.list
    where i.envelope_id = w.id and i.email_key = w.email_key and i.list = w.list
      and i.holder_id <> w.holder_id
    returning i.email_key, i.list, b.holder_id as holder_before, i.holder_id as holder_after
  ), kept as (
    -- Rows are written in order, so that two writers never wait for each other in one statement.
    insert into inbox_counts as c (email_key, list, holder_id, count)
    select email_key, list, holder_id, sum(change)
    from (
      select *, 1 as change from come union all select *, -1 from gone
      union all select email_key, list, holder_after, 1 from moved
      union all select email_key, list, holder_before, -1 from moved) changes
    group by email_key, list, holder_id having sum(change) <> 0
    order by email_key, list, holder_id
    on conflict (email_key, list, holder_id) do update set count = c.count + excluded.count
    returning c.email_key, c.count
  )
  select array_agg(email_key) filter (where count = 0) into emptied from kept;
  -- An address without envelopes is personal data without a purpose.
  if emptied is not null then
    delete from inbox_counts where email_key = any(emptied) and count = 0;
  end if;
end $$;

create function keep_envelope_search_on_insert() returns trigger language plpgsql as $$
begin
  insert into envelope_search
  select id, holder_id, status, created_at, search_text from new_rows where purged_at is null;
  return null;
end $$;
create function keep_envelope_search_on_update() returns trigger language plpgsql as $$
declare moved uuid[];
begin
  delete from envelope_search s using new_rows n
  where s.envelope_id = n.id and n.purged_at is not null;
  update envelope_search s
  set holder_id = n.holder_id, status = n.status, search_text = n.search_text
  from new_rows n
  where s.envelope_id = n.id and (s.status <> n.status or s.search_text <> n.search_text
    or s.holder_id <> n.holder_id);
  select array_agg(n.id) into moved from new_rows n join old_rows o on o.id = n.id
  where (n.status = 'completed') <> (o.status = 'completed')
    or (n.purged_at is null) <> (o.purged_at is null)
    or n.holder_id <> o.holder_id;
  if moved is not null then perform refresh_envelope_inbox(moved); end if;
  return null;
end $$;
create function keep_envelope_search_on_delete() returns trigger language plpgsql as $$
begin
  delete from envelope_search s using old_rows o where s.envelope_id = o.id;
  return null;
end $$;
create trigger keep_envelope_search_on_insert after insert on envelopes
  referencing new table as new_rows
  for each statement execute function keep_envelope_search_on_insert();
create trigger keep_envelope_search_on_update after update on envelopes
  referencing old table as old_rows new table as new_rows
  for each statement execute function keep_envelope_search_on_update();
create trigger keep_envelope_search_on_delete after delete on envelopes
  referencing old table as old_rows
  for each statement execute function keep_envelope_search_on_delete();

create function keep_inbox_on_insert() returns trigger language plpgsql as $$
declare moved uuid[] := array(
  select distinct envelope_id from new_rows n where (n.awaited or n.notified_at is not null));
begin
  if cardinality(moved) > 0 then perform refresh_envelope_inbox(moved); end if;
  return null;
end $$;
create function keep_inbox_on_update() returns trigger language plpgsql as $$
declare moved uuid[] := array(
  select distinct n.envelope_id from new_rows n join old_rows o on o.id = n.id
  where n.awaited <> o.awaited or (n.notified_at is null) <> (o.notified_at is null)
    or n.email_key <> o.email_key);
begin
  if cardinality(moved) > 0 then perform refresh_envelope_inbox(moved); end if;
  return null;
end $$;
create function keep_inbox_on_delete() returns trigger language plpgsql as $$
declare moved uuid[] := array(
  select distinct envelope_id from old_rows o where (o.awaited or o.notified_at is not null));
begin
  if cardinality(moved) > 0 then perform refresh_envelope_inbox(moved); end if;
  return null;
end $$;
create trigger keep_inbox_on_insert after insert on recipients
  referencing new table as new_rows
  for each statement execute function keep_inbox_on_insert();
create trigger keep_inbox_on_update after update on recipients
  referencing old table as old_rows new table as new_rows
  for each statement execute function keep_inbox_on_update();
create trigger keep_inbox_on_delete after delete on recipients
  referencing old table as old_rows
  for each statement execute function keep_inbox_on_delete();

-- A count never falls below zero, and no signature or refusal fails because a derived count was
-- wrong. An inserted row is corrected once it stands: before, it may be a difference for `on conflict
-- do update` to add (PostgreSQL 18, INSERT: `excluded` is what triggers made of it).
create function bound_envelope_counts() returns trigger language plpgsql as $$
begin
  new.count := greatest(new.count, 0);
  return new;
end $$;
create trigger bound_count before update on envelope_counts
  for each row when (least(new.count) < 0) execute function bound_envelope_counts();
create function bound_new_envelope_counts() returns trigger language plpgsql as $$
begin
  delete from envelope_counts where holder_id = new.holder_id and status = new.status;
  return null;
end $$;
create trigger bound_new_count after insert on envelope_counts
  for each row when (least(new.count) < 0) execute function bound_new_envelope_counts();

create function bound_envelope_days() returns trigger language plpgsql as $$
begin
  new.created := greatest(new.created, 0); new.completed := greatest(new.completed, 0);
  return new;
end $$;
create trigger bound_count before update on envelope_days
  for each row when (least(new.created, new.completed) < 0) execute function bound_envelope_days();
create function bound_new_envelope_days() returns trigger language plpgsql as $$
begin
  delete from envelope_days where holder_id = new.holder_id and day = new.day;
  return null;
end $$;
create trigger bound_new_count after insert on envelope_days
  for each row when (least(new.created, new.completed) < 0)
  execute function bound_new_envelope_days();

create function bound_inbox_counts() returns trigger language plpgsql as $$
begin
  new.count := greatest(new.count, 0);
  return new;
end $$;
create trigger bound_count before update on inbox_counts
  for each row when (least(new.count) < 0) execute function bound_inbox_counts();
create function bound_new_inbox_counts() returns trigger language plpgsql as $$
begin
  delete from inbox_counts
  where email_key = new.email_key and list = new.list and holder_id = new.holder_id;
  return null;
end $$;
create trigger bound_new_count after insert on inbox_counts
  for each row when (least(new.count) < 0) execute function bound_new_inbox_counts();
