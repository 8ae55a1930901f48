-- Files that perhaps no row refers to: inserted before a file is stored, and as soon as a row no
-- longer refers to it. The sweep starts from here, and never lists a store.
create table loose_files (
  sha256 bytea primary key,
  at timestamptz not null
);
create index loose_files_at on loose_files (at);

-- An update locks the row: a sweep that forgets the file at this moment checks it again.
create function note_loose_file() returns trigger language plpgsql as $$
declare
  gone bytea;
begin
  execute format('select ($1).%I', tg_argv[0]) into gone using old;
  if gone is not null then
    insert into loose_files (sha256, at) values (gone, now())
    on conflict (sha256) do update set at = greatest(loose_files.at, excluded.at);
  end if;
  return null;
end $$;

create trigger users_avatar_sha256_gone after delete on users
  for each row execute function note_loose_file('avatar_sha256');
create trigger users_avatar_sha256_changed after update of avatar_sha256 on users
  for each row when (old.avatar_sha256 is distinct from new.avatar_sha256)
  execute function note_loose_file('avatar_sha256');
create trigger template_documents_blob_sha256_gone after delete on template_documents
  for each row execute function note_loose_file('blob_sha256');
create trigger template_documents_blob_sha256_changed
  after update of blob_sha256 on template_documents
  for each row when (old.blob_sha256 is distinct from new.blob_sha256)
  execute function note_loose_file('blob_sha256');
create trigger documents_uploaded_sha256_gone after delete on documents
  for each row execute function note_loose_file('uploaded_sha256');
create trigger documents_uploaded_sha256_changed after update of uploaded_sha256 on documents
  for each row when (old.uploaded_sha256 is distinct from new.uploaded_sha256)
  execute function note_loose_file('uploaded_sha256');
create trigger document_revisions_blob_sha256_gone after delete on document_revisions
  for each row execute function note_loose_file('blob_sha256');
create trigger document_revisions_blob_sha256_changed
  after update of blob_sha256 on document_revisions
  for each row when (old.blob_sha256 is distinct from new.blob_sha256)
  execute function note_loose_file('blob_sha256');
create trigger batch_items_source_sha256_gone after delete on batch_items
  for each row execute function note_loose_file('source_sha256');
create trigger batch_items_source_sha256_changed after update of source_sha256 on batch_items
  for each row when (old.source_sha256 is distinct from new.source_sha256)
  execute function note_loose_file('source_sha256');
create trigger batch_items_signed_sha256_gone after delete on batch_items
  for each row execute function note_loose_file('signed_sha256');
create trigger batch_items_signed_sha256_changed after update of signed_sha256 on batch_items
  for each row when (old.signed_sha256 is distinct from new.signed_sha256)
  execute function note_loose_file('signed_sha256');
create trigger uploads_file_sha256_gone after delete on uploads
  for each row execute function note_loose_file('file_sha256');
create trigger uploads_file_sha256_changed after update of file_sha256 on uploads
  for each row when (old.file_sha256 is distinct from new.file_sha256)
  execute function note_loose_file('file_sha256');

-- The bytes that each account stores. Whoever writes or removes a row that refers to a file inserts
-- the difference in the same transaction: as a new row, so that no writer waits for another of the
-- same account; a job folds them into one.
create function note_storage(owner uuid, change bigint) returns void language plpgsql as $$
begin
  if owner is not null and change <> 0 then
    insert into storage_changes (owner_id, bytes) values (owner, change);
  end if;
end $$;

-- Null once the envelope is purged: its rows stay, its files go.
create function document_owner(document uuid) returns uuid language sql stable as $$
  select e.owner_id from documents d join envelopes e on e.id = d.envelope_id
  where d.id = document and e.purged_at is null
$$;

-- Its revisions; and the uploaded file, where a corrected copy took its place.
create function document_bytes(document uuid) returns bigint language sql stable as $$
  select coalesce(
      (select sum(size) from document_revisions where document_id = document), 0)::bigint
    + coalesce(
      (select uploaded_size from documents where id = document and normalised_accepted), 0)
$$;

create function note_revision() returns trigger language plpgsql as $$
begin
  -- A deleted document has subtracted its own.
  if tg_op = 'DELETE' then
    perform note_storage(document_owner(old.document_id), -old.size);
    return null;
  end if;
  insert into storage_changes (owner_id, bytes)
  select e.owner_id, new.size - case when tg_op = 'UPDATE' then old.size else 0 end
  from documents d join envelopes e on e.id = d.envelope_id
  where d.id = new.document_id and e.purged_at is null
    and new.size <> case when tg_op = 'UPDATE' then old.size else 0 end;
  return null;
end $$;

create function note_document() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_storage(document_owner(old.id), -document_bytes(old.id));
    return old;
  end if;
  perform note_storage(document_owner(new.id), new.uploaded_size);
  return null;
end $$;

create function note_purge() returns trigger language plpgsql as $$
begin
  perform note_storage(new.owner_id, -(
    select coalesce(sum(document_bytes(d.id)), 0)::bigint
    from documents d where d.envelope_id = new.id));
  return null;
end $$;

create function note_template() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_storage(old.owner_id, -(
      select coalesce(sum(size), 0)::bigint
      from template_documents where template_id = old.id));
    return old;
  end if;
  perform note_storage((select owner_id from templates where id = new.template_id), new.size);
  return null;
end $$;

-- A file waits to be signed; once signed, its envelope has it.
create function note_batch_item() returns trigger language plpgsql as $$
declare
  item batch_items := case when tg_op = 'INSERT' then new else old end;
  sign integer := case when tg_op = 'INSERT' then 1 else -1 end;
begin
  perform note_storage(
    (select owner_id from batch_jobs where id = item.job_id), sign * item.source_size);
  return null;
end $$;

create function note_upload() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_storage(old.owner_id, -old.size);
  else
    perform note_storage(new.owner_id, new.size);
  end if;
  return null;
end $$;

create function note_saved_signature() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform note_storage(old.user_id, -octet_length(old.mark_wrapped));
  end if;
  if tg_op <> 'DELETE' then
    perform note_storage(new.user_id, octet_length(new.mark_wrapped));
  end if;
  return null;
end $$;

create trigger note_storage after update of purged_at on envelopes
  for each row when (old.purged_at is null and new.purged_at is not null)
  execute function note_purge();
create trigger note_storage before delete on templates
  for each row execute function note_template();
create trigger note_storage after insert on template_documents
  for each row execute function note_template();
create trigger note_storage_copy after insert on documents
  for each row when (new.normalised_accepted)
  execute function note_document();
create trigger note_storage_accepted after update of normalised_accepted on documents
  for each row when (new.normalised_accepted and not old.normalised_accepted)
  execute function note_document();
create trigger note_storage_removed before delete on documents
  for each row execute function note_document();
create trigger note_storage after insert or delete or update of size on document_revisions
  for each row execute function note_revision();
create trigger note_storage after insert or delete or update of mark_wrapped on saved_signatures
  for each row execute function note_saved_signature();
create trigger note_storage after insert or delete on uploads
  for each row execute function note_upload();
create trigger note_storage after insert on batch_items
  for each row when (new.source_sha256 is not null)
  execute function note_batch_item();
create trigger note_storage_signed after update of source_sha256 on batch_items
  for each row when (old.source_sha256 is not null and new.source_sha256 is null)
  execute function note_batch_item();
create trigger note_storage_removed after delete on batch_items
  for each row when (old.source_sha256 is not null)
  execute function note_batch_item();
