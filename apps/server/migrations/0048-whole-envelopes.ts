import { type Kysely, sql } from "kysely";

/** The database holds what the code promises of an envelope and its parts, whoever writes. What an earlier version may have left otherwise is put right first. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- What an earlier version may have left.
    update envelopes set cancelled_at = updated_at where status = 'cancelled' and cancelled_at is null;
    update envelopes set cancelled_at = null, status_before_cancel = null where status <> 'cancelled'
      and (cancelled_at is not null or status_before_cancel is not null);
    update envelopes set signer_count = greatest(signer_count, 0), signed_count = least(greatest(signed_count, 0), greatest(signer_count, 0))
      where signer_count < 0 or signed_count not between 0 and signer_count;
    -- What was sent is never a draft again: its parts say how far it was.
    update envelopes e set status_before_cancel = case
        when completed_at is not null then 'completed'
        when exists (select from recipients r where r.envelope_id = e.id and r.status = 'declined') then 'declined'
        when signed_count > 0 then 'pending'
        when sent_at is not null or exists (select from recipients r where r.envelope_id = e.id
          and (r.notified_at is not null or exists (select from recipient_tokens t where t.recipient_id = r.id))) then 'sent'
        else 'draft' end
      where status = 'cancelled' and coalesce(status_before_cancel, '') not in ('draft', 'sent', 'pending', 'completed', 'declined', 'expired');
    delete from fields f where not exists (select from documents d where d.id = f.document_id and d.envelope_id = f.envelope_id)
      or not exists (select from recipients r where r.id = f.recipient_id and r.envelope_id = f.envelope_id);
    ${renumbered("documents")}
    ${renumbered("recipients")}

    alter table envelopes
      add constraint envelopes_signed_check check (signer_count >= 0 and signed_count between 0 and signer_count),
      add constraint envelopes_cancelled_check check (
        case when status = 'cancelled'
          then cancelled_at is not null and status_before_cancel in ('draft', 'sent', 'pending', 'completed', 'declined', 'expired')
            and status_before_cancel is not null
          else cancelled_at is null and status_before_cancel is null end);

    -- Within one change places are exchanged: they are looked at when it is committed.
    alter table documents
      add constraint documents_place unique (envelope_id, position) deferrable initially deferred,
      add constraint documents_whole unique (envelope_id, id);
    alter table recipients
      add constraint recipients_place unique (envelope_id, position) deferrable initially deferred,
      add constraint recipients_whole unique (envelope_id, id);
    drop index documents_envelope, recipients_envelope;

    -- A field is on a document and for a person of its own envelope. What lies a hair over the edge is let pass, as at the entry of the service.
    alter table fields
      drop constraint fields_document_id_fkey,
      drop constraint fields_recipient_id_fkey,
      add constraint fields_document foreign key (envelope_id, document_id) references documents (envelope_id, id) on delete cascade,
      add constraint fields_recipient foreign key (envelope_id, recipient_id) references recipients (envelope_id, id) on delete cascade,
      add constraint fields_place_check check (page >= 1 and x between 0 and 1 and y between 0 and 1
        and width > 0 and width <= 1 and height > 0 and height <= 1
        and x + width <= 1.0001::double precision and y + height <= 1.0001::double precision);

    ${counted}
    ${bounded("envelope_counts", { counts: ["count"], key: ["owner_id", "status"] })}
    ${bounded("envelope_days", { counts: ["created", "completed"], key: ["owner_id", "day"] })}
    ${bounded("inbox_counts", { counts: ["count"], key: ["email_key", "list", "owner_id"] })}
  `.execute(db);
}

/** Two at one place keep their order. */
function renumbered(table: string) {
  return sql`
    update ${sql.table(table)} set position = numbered.place from (
      select id, row_number() over (partition by envelope_id order by position, id) as place from ${sql.table(table)}
      where envelope_id in (select envelope_id from ${sql.table(table)} group by envelope_id, position having count(*) > 1)) numbered
    where ${sql.table(table)}.id = numbered.id;`;
}

/** The counts, anew: nobody writes an envelope meanwhile, its table being locked by what was added to it. */
const counted = sql`
    delete from envelope_counts;
    insert into envelope_counts (owner_id, status, count)
      select owner_id, status, count(*) from envelopes where purged_at is null group by owner_id, status;
    delete from envelope_days;
    insert into envelope_days (owner_id, day, created, completed, completed_days)
      select owner_id, (created_at at time zone 'Europe/Paris')::date, count(*), count(*) filter (where status = 'completed'),
        coalesce(sum(extract(epoch from updated_at - created_at) / 86400) filter (where status = 'completed'), 0)
      from envelopes where purged_at is null group by 1, 2;
    delete from inbox_counts;
    insert into inbox_counts (email_key, list, owner_id, count)
      select email_key, list, owner_id, count(*) from envelope_inbox group by email_key, list, owner_id;`;

/**
 * A count is never below nothing. The envelope is the truth: no signature or refusal fails because a count beside it was wrong. An inserted row is looked at
 * once it stands, and counts nothing: before, it may be a difference that `on conflict do update` is to add (PostgreSQL 18, INSERT: `excluded` is what
 * triggers made of it).
 */
function bounded(
  table: string,
  { counts, key }: { readonly counts: readonly string[]; readonly key: readonly string[] },
) {
  const least = sql.raw(`least(${counts.map((count) => `new.${count}`).join(", ")})`);
  const name = (what: string) => sql.raw(`${what}_${table}`);
  return sql`
    create function ${name("bound")}() returns trigger language plpgsql as $$
    begin
      ${sql.raw(counts.map((count) => `new.${count} := greatest(new.${count}, 0);`).join(" "))}
      return new;
    end $$;
    create trigger bound_count before update on ${sql.table(table)} for each row when (${least} < 0) execute function ${name("bound")}();
    create function ${name("bound_new")}() returns trigger language plpgsql as $$
    begin
      delete from ${sql.table(table)} where ${sql.raw(key.map((column) => `${column} = new.${column}`).join(" and "))};
      return null;
    end $$;
    create trigger bound_new_count after insert on ${sql.table(table)} for each row when (${least} < 0) execute function ${name("bound_new")}();`;
}
