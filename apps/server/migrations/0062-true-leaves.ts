import { type Kysely, sql } from "kysely";

/**
 * What the database itself holds the log to, whoever may write in it (security §3): a leaf is of an event that is there, the tree above is built here, a
 * checkpoint is of that tree and says so, and no head leaves the list of what is due before its leaf is there.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- of a leaf, SHA-256(0x00 ‖ canonical JSON) of its entry (ADR 0013, RFC 8785, RFC 9162 §2.1.1)
    create function transparency_subtree(asked_level integer, asked_index bigint) returns bytea language plpgsql stable as $$
    begin
      if asked_level > 0 then
        return (select hash from transparency_nodes where level = asked_level and index = asked_index);
      end if;
      return (select sha256('\\x00'::bytea || convert_to(
          format('{"envelope_id":"%s","head":"%s","sequence":%s}', envelope_id, encode(head, 'hex'), sequence), 'UTF8'))
        from transparency_leaves where leaf_index = asked_index);
    end $$;

    -- RFC 9162 §2.1.1: the full subtrees of these leaves, joined from the smallest on
    create function transparency_root(size bigint) returns bytea language plpgsql stable as $$
    declare
      root bytea;
      part bytea;
    begin
      for level in 0..62 loop
        exit when size >> level = 0;
        continue when (size >> level) % 2 = 0;
        part := transparency_subtree(level, (size >> level) - 1);
        if part is null then
          return null;
        end if;
        root := case when root is null then part else sha256('\\x01'::bytea || part || root) end;
      end loop;
      return root;
    end $$;

    create or replace function keep_log_order() returns trigger language plpgsql as $$
    begin
      if new.leaf_index <> (select coalesce(max(leaf_index) + 1, 0) from transparency_leaves) then
        raise exception 'a leaf comes after the one before';
      end if;
      if not exists (select from audit_events e where e.envelope_id = new.envelope_id and e.sequence = new.sequence and e.hash = new.head) then
        raise exception 'a leaf is the hash of an event that is there';
      end if;
      return new;
    end $$;

    create function build_nodes() returns trigger language plpgsql as $$
    declare
      place bigint := new.leaf_index;
      height integer := 0;
    begin
      while place % 2 = 1 loop
        place := place / 2;
        height := height + 1;
        insert into transparency_nodes (level, index, hash) values (height, place, null);
      end loop;
      return null;
    end $$;
    create trigger transparency_leaves_build_nodes after insert on transparency_leaves for each row execute function build_nodes();

    create function keep_node() returns trigger language plpgsql as $$
    declare
      built bytea := sha256('\\x01'::bytea || transparency_subtree(new.level - 1, new.index * 2) || transparency_subtree(new.level - 1, new.index * 2 + 1));
    begin
      if built is null or new.hash <> built then
        raise exception 'a node is the hash of what stands below it';
      end if;
      new.hash := built;
      return new;
    end $$;
    create trigger transparency_nodes_keep before insert on transparency_nodes for each row execute function keep_node();

    -- what its JWS signs, as far as it can be read here: the signature itself and the time-stamp are the readers' to check
    create function stated_checkpoint(signature text) returns jsonb language plpgsql stable as $$
    declare
      payload text := translate(split_part(signature, '.', 2), '-_', '+/');
    begin
      return convert_from(decode(rpad(payload, (length(payload) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb;
    exception when others then
      return '{}'::jsonb;
    end $$;

    create or replace function keep_checkpoint_order() returns trigger language plpgsql as $$
    declare
      last jsonb := (select jsonb_build_object('size', size, 'root', encode(root, 'hex')) from transparency_checkpoints order by number desc limit 1);
      stated jsonb := stated_checkpoint(new.signature);
    begin
      if new.number <> (select coalesce(max(number) + 1, 1) from transparency_checkpoints)
        or new.size <> (select coalesce(max(leaf_index) + 1, 0) from transparency_leaves) then
        raise exception 'a checkpoint is of the whole log, after the one before';
      end if;
      if new.root is distinct from transparency_root(new.size) then
        raise exception 'a checkpoint bears the root of its leaves';
      end if;
      if (stated -> 'size', stated -> 'root', stated -> 'previous')
          is distinct from (to_jsonb(new.size), to_jsonb(encode(new.root, 'hex')), coalesce(last, 'null'::jsonb)) then
        raise exception 'a checkpoint signs what it states';
      end if;
      return new;
    end $$;

    create function keep_due() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        if not exists (select from audit_events e where e.envelope_id = new.envelope_id and e.sequence = new.sequence and e.hash = new.head) then
          raise exception 'what is due is the head of a journal';
        end if;
        return new;
      end if;
      if not exists (select from transparency_leaves l where l.envelope_id = old.envelope_id and l.sequence >= old.sequence) then
        raise exception 'a head is due until its leaf is there';
      end if;
      return old;
    end $$;
    create trigger transparency_due_keep before insert or delete on transparency_due for each row execute function keep_due();
    create trigger transparency_due_no_update before update or truncate on transparency_due for each statement execute function refuse_change();

    -- a temporary table of the same name comes before ours, unless it is said that it does not
    do $$
    declare
      kept regprocedure;
    begin
      foreach kept in array array['refuse_change()', 'note_head()', 'keep_authority()', 'keep_certificate()', 'keep_log_order()', 'keep_checkpoint_order()',
        'build_nodes()', 'keep_node()', 'keep_due()', 'transparency_root(bigint)', 'transparency_subtree(integer, bigint)', 'stated_checkpoint(text)']::regprocedure[] loop
        execute format('alter function %s set search_path = %I, pg_temp', kept, current_schema());
      end loop;
    end $$;
  `.execute(db);
}
