import { type Kysely, sql } from "kysely";

/**
 * How many bytes the rows of each account keep, for its quota. Whoever writes or removes such a row notes the difference, in the same transaction: as rows that are
 * added, so that no writer waits for another of the same account; a job folds them into one.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table storage_changes (
      owner_id uuid not null,
      bytes bigint not null,
      -- the sum of what came before
      folded boolean not null default false
    );
    create index storage_changes_owner on storage_changes (owner_id) include (bytes);
    create index storage_changes_new on storage_changes (owner_id) where not folded;

    create function note_storage(owner uuid, change bigint) returns void language plpgsql as $$
    begin
      if owner is not null and change <> 0 then
        insert into storage_changes (owner_id, bytes) values (owner, change);
      end if;
    end $$;

    -- null once the envelope is purged: its rows stay, its files go
    create function document_owner(document uuid) returns uuid language sql stable as $$
      select e.owner_id from documents d join envelopes e on e.id = d.envelope_id where d.id = document and e.purged_at is null $$;
    -- its revisions; and what was uploaded, where a corrected copy took its place
    create function document_bytes(document uuid) returns bigint language sql stable as $$
      select coalesce((select sum(size) from document_revisions where document_id = document), 0)::bigint
        + coalesce((select uploaded_size from documents where id = document and normalised_accepted), 0) $$;

    create function note_revision() returns trigger language plpgsql as $$
    begin
      perform note_storage(document_owner(new.document_id), new.size - case when tg_op = 'UPDATE' then old.size else 0 end);
      return null;
    end $$;
    create trigger note_storage after insert or update of size on document_revisions for each row execute function note_revision();

    create function note_document() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform note_storage(document_owner(old.id), -document_bytes(old.id));
        return old;
      end if;
      perform note_storage(document_owner(new.id), new.uploaded_size);
      return null;
    end $$;
    create trigger note_storage_copy after insert on documents for each row when (new.normalised_accepted) execute function note_document();
    create trigger note_storage_accepted after update of normalised_accepted on documents
      for each row when (new.normalised_accepted and not old.normalised_accepted) execute function note_document();
    create trigger note_storage_removed before delete on documents for each row execute function note_document();

    create function note_purge() returns trigger language plpgsql as $$
    begin
      perform note_storage(new.owner_id, -(select coalesce(sum(document_bytes(d.id)), 0)::bigint from documents d where d.envelope_id = new.id));
      return null;
    end $$;
    create trigger note_storage after update of purged_at on envelopes
      for each row when (old.purged_at is null and new.purged_at is not null) execute function note_purge();

    create function note_template() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        perform note_storage(old.owner_id, -(select coalesce(sum(size), 0)::bigint from template_documents where template_id = old.id));
        return old;
      end if;
      perform note_storage((select owner_id from templates where id = new.template_id), new.size);
      return null;
    end $$;
    create trigger note_storage after insert on template_documents for each row execute function note_template();
    create trigger note_storage before delete on templates for each row execute function note_template();

    -- a file waits to be signed; signed, its envelope has it
    create function note_batch_item() returns trigger language plpgsql as $$
    declare
      item batch_items := case when tg_op = 'INSERT' then new else old end;
      sign integer := case when tg_op = 'INSERT' then 1 else -1 end;
    begin
      perform note_storage((select owner_id from batch_jobs where id = item.job_id), sign * item.source_size);
      return null;
    end $$;
    create trigger note_storage after insert on batch_items for each row when (new.source_sha256 is not null) execute function note_batch_item();
    create trigger note_storage_signed after update of source_sha256 on batch_items
      for each row when (old.source_sha256 is not null and new.source_sha256 is null) execute function note_batch_item();
    create trigger note_storage_removed after delete on batch_items for each row when (old.source_sha256 is not null) execute function note_batch_item();

    create function note_saved_signature() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then perform note_storage(old.user_id, -octet_length(old.mark_wrapped)); end if;
      if tg_op <> 'DELETE' then perform note_storage(new.user_id, octet_length(new.mark_wrapped)); end if;
      return null;
    end $$;
    create trigger note_storage after insert or delete or update of mark_wrapped on saved_signatures for each row execute function note_saved_signature();

    -- what was kept before it was counted
    insert into storage_changes (owner_id, bytes, folded)
      select owner_id, sum(bytes), true from (
        select e.owner_id, document_bytes(d.id) as bytes from documents d join envelopes e on e.id = d.envelope_id where e.purged_at is null
        union all select t.owner_id, d.size from template_documents d join templates t on t.id = d.template_id
        union all select j.owner_id, i.source_size from batch_items i join batch_jobs j on j.id = i.job_id where i.source_sha256 is not null
        union all select user_id, octet_length(mark_wrapped) from saved_signatures
      ) kept
      where owner_id is not null group by owner_id;
  `.execute(db);
}
