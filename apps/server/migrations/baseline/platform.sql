-- The trigger of tables that take inserts only.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% takes inserts only', tg_table_name;
end $$;

-- Counts of rate limits in fixed windows, shared by all processes.
create table throttles (
  key text not null,
  window_start timestamptz not null,
  hits integer not null,
  primary key (key, window_start)
);
create index throttles_window on throttles (window_start);

-- Answers of requests that bear an Idempotency-Key.
create table idempotency_keys (
  scope text not null,
  key text not null,
  request_sha256 bytea not null,
  status integer,
  answer_wrapped bytea,
  -- What it names, to be forgotten with that.
  answer_ids text[] not null default '{}',
  created_at timestamptz not null,
  -- The process that answers the request: nobody waits for one that died. Null: unknown, and the
  -- age decides.
  owner integer,
  primary key (scope, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- The key that wraps secrets at rest, itself wrapped by MASTER_KEY, which can then be replaced.
create table data_key (
  one boolean primary key default true check (one),
  wrapped bytea not null
);

-- The stores of files that this database refers to: the same id stands in the store.
create table store_identity (
  id uuid primary key,
  -- Null: the store in use; else nothing more is written there.
  closed_at timestamptz
);

-- Checks of the store that found nothing: the next one may start where the last one ended.
create table store_checks (
  number bigint generated always as identity primary key,
  at timestamptz not null,
  -- Leaves of the transparency log when it began: what is written later has a leaf after them, or
  -- waits for one.
  leaves bigint not null
);

-- Whole backups: the age of the last one is watched. `place` has no key.
create table backups (
  id text primary key,
  place text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  files bigint not null,
  bytes bigint not null
);
create index backups_ended on backups (ended_at);

-- The local mailbox that stands for SMTP and SMS on a developer's machine.
create table mailbox_messages (
  id uuid primary key,
  channel text not null,
  destination text not null,
  subject text not null,
  content text not null,
  received_at timestamptz not null
);
create index mailbox_messages_received on mailbox_messages (received_at desc);
