import { type Kysely, sql } from "kysely";

/**
 * The journal, its details and the messages stand in a table for each year of their keys (UUID v7: an envelope's journal is whole in the year in which it was
 * made), so that a year can be taken out as one piece (ADR 0026). What a partition does not hold for stands in the one by default.
 * A key of messages alone is of all years: the same event for the same person is one message, whenever it is asked for again.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table audit_details drop constraint audit_details_envelope_id_sequence_fkey;
    alter table push_receipts drop constraint push_receipts_notice_id_fkey;
    alter table audit_events rename to audit_events_whole;
    alter table audit_details rename to audit_details_whole;
    alter table notices rename to notices_whole;

    create table audit_events (like audit_events_whole including defaults including constraints) partition by range (envelope_id);
    create table audit_details (like audit_details_whole including defaults including constraints) partition by range (envelope_id);
    create table notices (like notices_whole including defaults including constraints) partition by range (id);
    create table audit_events_default partition of audit_events default;
    create table audit_details_default partition of audit_details default;
    create table notices_default partition of notices default;

    create table notice_keys (dedupe_key text primary key, notice_id uuid not null);

    -- the first key of UUID v7 of a year
    create function first_key_of(year integer) returns uuid language sql immutable as $$
      select (lpad(to_hex((extract(epoch from make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC')) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$;

    -- written to through the whole table alone, which has the triggers of statements: by nobody who may write, and of a journal by nobody at all
    create function close_partition(part regclass, is_of_journal boolean) returns void language plpgsql as $$
    begin
      if to_regrole('paraphe_service') is not null then
        execute format('revoke all on %s from paraphe_service', part);
      end if;
      if is_of_journal then
        execute format('create trigger written_through_the_whole before insert or update or delete or truncate on %s for each statement execute function refuse_change()', part);
      end if;
    end $$;
    revoke execute on function close_partition(regclass, boolean) from public;

    -- Makes what is missing up to the next year. As the owner, whoever calls it: it takes no word of theirs. One whose rows stand in the default is left out.
    create function make_partitions() returns void language plpgsql security definer set lock_timeout = '2s' as $$
    declare
      whole text;
      part text;
    begin
      foreach whole in array array['audit_events', 'audit_details', 'notices'] loop
        for year in 2026 .. extract(year from now() at time zone 'UTC')::integer + 1 loop
          part := whole || '_' || year;
          continue when to_regclass(part) is not null;
          begin
            execute format('create table %I partition of %I for values from (%s) to (%L)', part, whole,
              case year when 2026 then 'minvalue' else quote_literal(first_key_of(year)) end, first_key_of(year + 1));
            perform close_partition(part, whole <> 'notices');
          exception when check_violation then
            raise warning '% is not made: the default holds rows of that year', part;
          end;
        end loop;
      end loop;
    end $$;

    do $$
    declare
      kept regprocedure;
    begin
      foreach kept in array array['close_partition(regclass, boolean)', 'make_partitions()']::regprocedure[] loop
        execute format('alter function %s set search_path = %I, pg_temp', kept, current_schema());
      end loop;
      perform close_partition('audit_events_default', true);
      perform close_partition('audit_details_default', true);
      perform close_partition('notices_default', false);
      perform make_partitions();
    end $$;

    insert into audit_events select * from audit_events_whole;
    insert into audit_details select * from audit_details_whole;
    insert into notices select * from notices_whole;
    insert into notice_keys select dedupe_key, id from notices_whole;
    drop table audit_events_whole, audit_details_whole, notices_whole;
  `.execute(db);
  await keys(db);
  await triggers(db);
}

async function keys(db: Kysely<never>): Promise<void> {
  await sql`
    alter table audit_events add primary key (envelope_id, sequence);
    alter table audit_details add primary key (envelope_id, sequence, name);
    alter table audit_details add foreign key (envelope_id, sequence) references audit_events;
    alter table notices add primary key (id);
    alter table push_receipts add foreign key (notice_id) references notices on delete cascade;
    create index notices_key on notices (dedupe_key);
    create index notices_envelope on notices (envelope_id, created_at);
    create index notices_queued on notices (created_at) where state = 'queued';
    create index notices_link on notices (link_sha256) where link_sha256 is not null;
    create index notices_user on notices (user_id, id) where user_id is not null;
    create index notices_address on notices (lower(destination), id) where channel <> 'sms';
    create index notices_held on notices (not_before) where held_for is not null and summary_id is null and state = 'queued';
    create index notices_summary on notices (summary_id) where summary_id is not null;
    create index notices_waiting on notices (sender_id) where state = 'queued' and held_for is null;
    create index notices_farewell on notices (created_at) where kind = 'account_erased' and state <> 'queued';
    create index notices_account on notices (created_at) where envelope_id is null and state <> 'queued';
  `.execute(db);
}

async function triggers(db: Kysely<never>): Promise<void> {
  await sql`
    create trigger audit_events_insert_only before update or delete or truncate on audit_events for each statement execute function refuse_change();
    create trigger audit_events_note_head after insert on audit_events referencing new table as added for each statement execute function note_head();
    create trigger audit_details_no_update before update on audit_details for each statement execute function refuse_change();
    create trigger announce_envelope after insert on audit_events for each row execute function announce_envelope();
    create trigger announce_envelope after insert or update of state, server_answer, opened_at on notices for each row
      when (new.envelope_id is not null) execute function announce_envelope();

    -- a message whose key is there already is not added
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
    do $$
    begin
      execute format('alter function keep_notice_key() set search_path = %I, pg_temp', current_schema());
    end $$;
    create trigger notices_key_taken before insert on notices for each row execute function keep_notice_key();
    create trigger notices_key_changed before update of dedupe_key on notices for each row
      when (old.dedupe_key is distinct from new.dedupe_key) execute function keep_notice_key();
    create trigger notices_key_freed after delete on notices for each row execute function keep_notice_key();
  `.execute(db);
}
