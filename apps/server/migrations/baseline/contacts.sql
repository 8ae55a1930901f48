-- Folds a text as searchText does: lower case, no accents, ligatures expanded, single spaces.
create function folded_text(text) returns text language sql immutable parallel safe return
  trim(regexp_replace(replace(replace(replace(translate(
    regexp_replace(normalize(lower($1), NFKD),
      '[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'),
    'øłđ’‘', 'old'''''), 'œ', 'oe'), 'æ', 'ae'), 'ß', 'ss'), '\s+', ' ', 'g'));

-- People whom an account writes to. Typing help reads them and nothing else.
create table contacts (
  id uuid primary key,
  owner_id uuid not null references users on delete cascade,
  team_id uuid references teams on delete set null,
  -- Whose list it stands in: its team's, or its owner's.
  holder_id uuid not null generated always as (coalesce(team_id, owner_id)) stored,
  full_name text not null,
  email text not null,
  -- What addresses are compared by.
  email_key text not null,
  second_email text,
  second_email_key text,
  phone_number text,
  company text,
  origin text not null check (origin in ('sent', 'imported', 'added')),
  sent_count integer not null default 0,
  last_sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What names are compared and sorted by.
  name_key text not null generated always as (folded_text(full_name)) stored,
  search_text text not null generated always as (folded_text(
    full_name || ' ' || email || ' ' || coalesce(second_email, '') || ' ' || coalesce(company, '')
  )) stored,
  unique (holder_id, email_key),
  check ((second_email is null) = (second_email_key is null))
);
create index contacts_second on contacts (holder_id, second_email_key)
  where second_email_key is not null;
create index contacts_recent on contacts (holder_id, last_sent_at desc nulls last, created_at desc, id desc);
create index contacts_name on contacts (holder_id, name_key, id);
create index contacts_owner on contacts (owner_id);
create index contacts_team on contacts (team_id) where team_id is not null;

-- Two contacts that look like one person and are two.
create table contacts_apart (
  first_id uuid not null references contacts on delete cascade,
  second_id uuid not null references contacts on delete cascade,
  primary key (first_id, second_id),
  check (first_id < second_id)
);
create index contacts_apart_second on contacts_apart (second_id);

-- One row for each account that changed its choice.
create table contact_settings (
  owner_id uuid primary key references users on delete cascade,
  keeps_sent boolean not null
);

-- A file that was read, before and while its contacts are written: one for each account.
create table contact_imports (
  id uuid primary key,
  owner_id uuid not null unique references users on delete cascade,
  file_name text not null,
  format text not null check (format in ('csv', 'vcard')),
  separator text,
  encoding text not null,
  state text not null default 'ready' check (state in ('ready', 'running', 'done')),
  existing text check (existing in ('complete', 'replace', 'skip')),
  line_count integer not null,
  new_count integer not null,
  known_count integer not null,
  refused_count integer not null,
  -- The last position written, and how many contacts that made or changed.
  written_to integer not null default 0,
  written_count integer not null default 0,
  created_at timestamptz not null,
  check ((state = 'ready') = (existing is null))
);

-- Gone once the import has ended or a day has passed.
create table contact_import_lines (
  import_id uuid not null references contact_imports on delete cascade,
  position integer not null,
  line integer not null,
  full_name text not null,
  email text not null,
  second_email text,
  phone_number text,
  company text,
  state text not null check (state in ('new', 'known', 'double', 'refused')),
  note text,
  primary key (import_id, position)
);
