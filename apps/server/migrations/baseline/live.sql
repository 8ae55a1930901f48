-- Announcements of changes. Every change of an envelope inserts into its journal, and the fate of
-- its messages is in `notices`: announced by triggers, no change can be forgotten by its writer.
-- Only ids are announced: any client of the database may listen.

-- The connections that listen to changes: without any, nothing is announced. A crash of the
-- database empties the table and cuts them all.
create unlogged table listeners (
  pid integer primary key,
  started_at timestamptz not null
);

-- The triggers tell the connection (a NOTICE), and the process notifies once the transaction is
-- committed: a transaction that notifies takes a lock of the whole server from before its commit to
-- after it (PostgreSQL 18, async.c, PreCommit_Notify). `client_min_messages` is the function's own:
-- a setting of the database must not silence it.
create function tell_change(change text) returns void
  language plpgsql set client_min_messages = notice as $$
begin
  if exists (select from listeners) then
    raise notice using errcode = 'CHGD0', message = change;
  end if;
end $$;
-- The same for any channel.
create function tell_channel(channel text, payload text) returns void
  language plpgsql set client_min_messages = notice as $$
begin
  raise notice using errcode = 'CHGD1', message = payload, detail = channel;
end $$;

-- A setting of its own makes `tell_change` dear to call: mostly nobody listens.
create function announce_envelope() returns trigger language plpgsql as $$
begin
  if exists (select from listeners) then
    perform tell_change(new.envelope_id::text);
  end if;
  return null;
end $$;
create trigger announce_envelope after insert on audit_events
  for each row execute function announce_envelope();
create trigger announce_envelope
  after insert or update of state, server_answer, opened_at on notices
  for each row when (new.envelope_id is not null) execute function announce_envelope();

-- A recipient whose address is corrected or erased is no longer found through the envelope: their
-- account's id is announced as well.
create function announce_left_recipient() returns trigger language plpgsql as $$
begin
  perform tell_change(old.envelope_id || ' ' || u.id)
  from users u where u.email_key = old.email_key;
  return null;
end $$;
create trigger announce_left_recipient after update of email_key on recipients
  for each row when (old.email_key is distinct from new.email_key and old.notified_at is not null)
  execute function announce_left_recipient();

-- Pages of an ended session close at once, and those of whoever joins or leaves a team come back
-- with the teams of now.
create function announce_ended_session() returns trigger language plpgsql as $$
begin
  perform tell_change('session ' || old.user_id);
  return null;
end $$;
create trigger announce_end after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function announce_ended_session();
create trigger announce_removal after delete on sessions
  for each row when (old.revoked_at is null) execute function announce_ended_session();
create function announce_team_members() returns trigger language plpgsql as $$
begin
  perform tell_change('teams ' || coalesce(new.member_id, old.member_id));
  return null;
end $$;
create trigger announce_change after insert or delete on team_members
  for each row execute function announce_team_members();
-- The organisation's key sees all teams of now.
create function announce_teams() returns trigger language plpgsql as $$
begin
  perform tell_change('teams ' || coalesce(new.organisation_id, old.organisation_id));
  return null;
end $$;
create trigger announce_change after insert or delete on teams
  for each row execute function announce_teams();
create function announce_key() returns trigger language plpgsql as $$
begin
  perform tell_change('session ' || old.holder_id);
  return null;
end $$;
create trigger announce_end after update of scopes, addresses or delete on api_keys
  for each row execute function announce_key();
