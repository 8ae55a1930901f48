-- The outbox: one row per message and person. One table for each year of the keys (years.sql).
create table notices (
  id uuid primary key,
  -- The same event for the same person is one message (notice_keys).
  dedupe_key text not null,
  kind text not null,
  channel text not null check (channel in ('email', 'sms', 'push')),
  destination text not null,
  message_id text not null,
  envelope_id uuid,
  recipient_id uuid,
  -- The recipient for whom its reader may sign.
  delegator_id uuid,
  user_id uuid,
  -- Of an email about an envelope, as it left; null for a code, whose subject is the code.
  subject text,
  -- What the template needs; emptied once sent, because it may contain a link or a code.
  content_wrapped bytea,
  -- delivered: its link was opened, or its code came back; withdrawn: its request became impossible
  state text not null check (state in ('queued', 'sent', 'delivered', 'refused', 'withdrawn')),
  tries integer not null default 0,
  server_answer text,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- SHA-256 of the token in its link: opening the link says which message arrived.
  link_sha256 bytea,
  opened_at timestamptz,
  -- The moment it left, was refused or was withdrawn.
  ended_at timestamptz,
  -- No server took it, yet it may have reached its reader: not so after a connection refused, or a
  -- clear no.
  may_have_left boolean not null default false,
  -- Why a message waits; null: it does not wait, or no more.
  held_for text check (held_for in ('quiet', 'summary')),
  not_before timestamptz,
  -- The mail that lists it: it leaves, or is refused, with that mail.
  summary_id uuid,
  -- The account on whose behalf it goes, or null: senders take turns.
  sender_id uuid,
  -- By the database's clock. A process that sends it moves this moment ahead while it works.
  next_try_at timestamptz not null default now()
) partition by range (id);
create index notices_key on notices (dedupe_key);
create index notices_envelope on notices (envelope_id, created_at);
create index notices_link on notices (link_sha256) where link_sha256 is not null;
create index notices_user on notices (user_id, id) where user_id is not null;
create index notices_address on notices (lower(destination), id) where channel <> 'sms';
create index notices_held on notices (not_before)
  where held_for is not null and summary_id is null and state = 'queued';
create index notices_summary on notices (summary_id) where summary_id is not null;
create index notices_due on notices (next_try_at) where state = 'queued' and held_for is null;
-- Wakes who sends them, once the transaction is committed (live.sql).
create function wake_outbox() returns trigger language plpgsql as $$
begin
  perform tell_channel('notices', '');
  return null;
end $$;
create trigger wake_outbox after update of held_for on notices
  for each statement execute function wake_outbox();
-- What is inserted as claimed needs no waking: its process sends it after the commit.
create function wake_outbox_of_added() returns trigger language plpgsql as $$
begin
  if exists (select from added where next_try_at <= now()) then
    perform tell_channel('notices', '');
  end if;
  return null;
end $$;
create trigger wake_outbox_of_added after insert on notices
  referencing new table as added
  for each statement execute function wake_outbox_of_added();
create index notices_farewell on notices (created_at)
  where kind = 'account_erased' and state <> 'queued';
create index notices_account on notices (created_at)
  where envelope_id is null and state <> 'queued';

-- The keys of messages of all years: a message whose key exists is not added.
create table notice_keys (
  dedupe_key text primary key,
  notice_id uuid not null
);
create function keep_notice_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from notice_keys where dedupe_key = old.dedupe_key;
    return null;
  end if;
  if tg_op = 'UPDATE' then
    update notice_keys set dedupe_key = new.dedupe_key where dedupe_key = old.dedupe_key;
    return new;
  end if;
  insert into notice_keys values (new.dedupe_key, new.id) on conflict do nothing;
  if not found then
    return null;
  end if;
  return new;
end $$;
create trigger notices_key_taken before insert on notices
  for each row execute function keep_notice_key();
create trigger notices_key_changed before update of dedupe_key on notices
  for each row when (old.dedupe_key is distinct from new.dedupe_key)
  execute function keep_notice_key();
create trigger notices_key_freed after delete on notices
  for each row execute function keep_notice_key();

-- Web Push: one key for the whole service (RFC 8292), to which subscriptions are bound.
create table vapid_keys (
  id smallint primary key check (id = 1),
  public_key bytea not null,
  private_key_wrapped bytea not null,
  created_at timestamptz not null
);

-- A subscription lives as long as the session it was asked for in, however that ends.
create table push_subscriptions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  session_id uuid not null references sessions on delete cascade,
  -- One browser is one endpoint, of the last account that subscribed in it.
  endpoint text not null unique,
  public_key bytea not null,
  auth_secret_wrapped bytea not null,
  created_at timestamptz not null
);
create index push_subscriptions_user on push_subscriptions (user_id, created_at);
create index push_subscriptions_session on push_subscriptions (session_id);
create function forget_push_subscriptions() returns trigger language plpgsql as $$
begin
  delete from push_subscriptions where session_id = new.id;
  return null;
end $$;
create trigger sessions_forget_push after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function forget_push_subscriptions();

-- A message that one browser took and another put off is tried again for the other alone.
create table push_receipts (
  notice_id uuid not null references notices on delete cascade,
  subscription_id uuid not null references push_subscriptions on delete cascade,
  primary key (notice_id, subscription_id)
);
create index push_receipts_subscription on push_receipts (subscription_id);
