-- Programs' addresses, told of the events of the envelopes that a person owns, that a team has, or
-- that any team of an organisation has.
create table webhooks (
  id uuid primary key,
  -- Who made it.
  user_id uuid not null references users on delete cascade,
  team_id uuid references teams on delete cascade,
  organisation_id uuid references organisations on delete cascade,
  holder_id uuid not null
    generated always as (coalesce(team_id, organisation_id, user_id)) stored,
  url text not null,
  types text[] not null,
  -- The one that signs, those replaced (newest first) with their ends, and an Ed25519 key (its seed).
  secret_wrapped bytea not null,
  old_secrets_wrapped bytea[] not null default '{}',
  old_secrets_until timestamptz[] not null default '{}',
  seed_wrapped bytea not null,
  public_key bytea not null,
  created_at timestamptz not null,
  paused text check (paused in ('asked', 'failing', 'gone')),
  paused_at timestamptz,
  -- Failures without a success between them; from the third on it rests.
  failures integer not null default 0,
  rests_until timestamptz not null default '-infinity',
  check ((paused is null) = (paused_at is null)),
  check (team_id is null or organisation_id is null)
);
create index webhooks_holder on webhooks (holder_id);
create index webhooks_user on webhooks (user_id);
create index webhooks_team on webhooks (team_id);
create index webhooks_organisation on webhooks (organisation_id);

-- What a webhook is told; of one envelope in the order of the rows.
create table webhook_events (
  id bigint generated always as identity primary key,
  message_id text not null default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  webhook_id uuid not null references webhooks on delete cascade,
  -- Null: a test.
  envelope_id uuid,
  recipient_id uuid,
  type text not null,
  at timestamptz not null,
  -- As first sent; null again once its envelope is purged.
  body text,
  tries integer not null default 0,
  -- By the service's clock: three days later its webhook pauses.
  first_try_at timestamptz,
  -- By the database's clock. A process that sends it moves this moment ahead.
  due_at timestamptz not null default now(),
  ended_at timestamptz,
  -- A test or a replay: no rest delays it.
  asked boolean not null default false
);
create index webhook_events_waiting on webhook_events (webhook_id, asked desc, id) where ended_at is null;
create index webhook_events_order on webhook_events (webhook_id, envelope_id, id)
  where ended_at is null;
create index webhook_events_envelope on webhook_events (envelope_id);
create index webhook_events_at on webhook_events (at);

create table webhook_tries (
  id bigint generated always as identity primary key,
  event_id bigint not null references webhook_events on delete cascade,
  webhook_id uuid not null references webhooks on delete cascade,
  at timestamptz not null,
  path text not null,
  -- Null: no answer.
  status integer,
  duration_ms integer not null,
  headers jsonb not null,
  answer text not null
);
create index webhook_tries_webhook on webhook_tries (webhook_id, id desc);
create index webhook_tries_event on webhook_tries (event_id);

create function wake_webhooks() returns trigger language plpgsql as $$
begin
  perform tell_channel('webhooks', '');
  return null;
end $$;
create trigger wake_webhooks after insert on webhook_events
  for each row execute function wake_webhooks();

-- A message that no server takes is an event of its envelope.
create function note_bounced() returns trigger language plpgsql as $$
begin
  insert into webhook_events (webhook_id, envelope_id, recipient_id, type, at)
  select w.id, e.id, new.recipient_id, 'message.bounced', coalesce(new.ended_at, now())
  from envelopes e left join teams t on t.id = e.team_id
  join webhooks w on w.holder_id in (e.owner_id, e.team_id, t.organisation_id)
    and 'message.bounced' = any(w.types)
  where e.id = new.envelope_id;
  return null;
end $$;
create trigger note_bounced after update of state on notices
  for each row when (new.state = 'refused' and old.state = 'queued' and new.channel <> 'push'
    and new.envelope_id is not null and new.recipient_id is not null)
  execute function note_bounced();
