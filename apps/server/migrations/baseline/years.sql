-- Journals, their details and messages stand in a table for each year of their keys (UUID v7: an
-- envelope's journal is whole in the year the envelope was made in), so that a year can be taken
-- out as one piece (ADR 0026). Rows that no year's table takes stand in the default.

-- The first key of UUID v7 of a year.
create function first_key_of(year integer) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from
    make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC')) * 1000)::bigint), 12, '0')
    || repeat('0', 20))::uuid
$$;

-- Refuses direct writes: the service has no right on a part, and nobody writes to a journal's part,
-- because only the whole table has the triggers of statements.
create function close_partition(part regclass, is_of_journal boolean) returns void
  language plpgsql as $$
begin
  if to_regrole('paraphe_service') is not null then
    execute format('revoke all on %s from paraphe_service', part);
  end if;
  if is_of_journal then
    execute format('create trigger written_through_the_whole
      before insert or update or delete or truncate on %s
      for each statement execute function refuse_change()', part);
  end if;
end $$;
revoke execute on function close_partition(regclass, boolean) from public;

-- Makes the missing tables up to the next year, as the owner, whoever calls it; it takes no
-- argument of theirs. A year whose rows stand in the default is left out.
create function make_partitions() returns void
  language plpgsql security definer set lock_timeout = '2s' as $$
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
          case year when 2026 then 'minvalue' else quote_literal(first_key_of(year)) end,
          first_key_of(year + 1));
        perform close_partition(part, whole <> 'notices');
      exception when check_violation then
        raise warning '% is not made: the default holds rows of that year', part;
      end;
    end loop;
  end loop;
end $$;

-- A temporary table of the same name would come before ours, unless the search path says otherwise.
do $$
declare
  kept regprocedure;
begin
  foreach kept in array array[
      'refuse_change()', 'keep_authority()', 'keep_certificate()', 'refuse_details_of_nothing()',
      'note_head()', 'keep_due()',
      'keep_log_order()', 'build_nodes()', 'transparency_subtree(integer, bigint)',
      'transparency_root(bigint)', 'keep_node()', 'stated_checkpoint(text)',
      'keep_checkpoint_order()', 'keep_notice_key()', 'close_partition(regclass, boolean)',
      'make_partitions()']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', kept, current_schema());
  end loop;
end $$;

select make_partitions();
create table audit_events_default partition of audit_events default;
create table audit_details_default partition of audit_details default;
create table notices_default partition of notices default;
select close_partition('audit_events_default', true);
select close_partition('audit_details_default', true);
select close_partition('notices_default', false);
