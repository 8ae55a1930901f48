import { type Kysely, type RawBuilder, sql } from "kysely";

/** Envelopes with their documents, recipients and fields, and the counts their writer keeps. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table envelopes (
      id uuid primary key,
      version integer not null default 1,
      owner_id uuid not null references users,
      created_by_name text not null,
      title text not null,
      -- title and creator, lower-cased, without accents: what a search looks in
      search_text text not null,
      message text,
      -- the list an envelope stands in: what lists and their indexes are cut by
      folder text not null generated always as (case when status in ('draft', 'completed', 'cancelled') then status else 'sent' end) stored,
      status text not null check (status in ('draft', 'sent', 'pending', 'completed', 'declined', 'expired', 'cancelled')),
      status_before_cancel text,
      flow text not null check (flow in ('parallel', 'sequential')),
      signer_count integer not null default 0,
      signed_count integer not null default 0,
      level text check (level in ('B-B', 'B-T', 'B-LT', 'B-LTA')),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      sent_at timestamptz,
      completed_at timestamptz,
      deadline_at timestamptz,
      cancelled_at timestamptz,
      purged_at timestamptz
    );
    -- Each list is read from an index that ends with its sort key, so that a page costs the same at any size.
    create index envelopes_owner_folder on envelopes (owner_id, folder, created_at desc, id desc) where purged_at is null;
    create index envelopes_owner_status on envelopes (owner_id, status, created_at desc, id desc) where purged_at is null;
    create index envelopes_owner on envelopes (owner_id, created_at desc, id desc) where purged_at is null;
    create index envelopes_completed on envelopes (owner_id, completed_at desc) where status = 'completed' and purged_at is null;
    create index envelopes_deadline on envelopes (deadline_at) where status in ('sent', 'pending');
    create index envelopes_cancelled on envelopes (cancelled_at) where status = 'cancelled' and purged_at is null;

    create table documents (
      id uuid primary key,
      envelope_id uuid not null references envelopes on delete cascade,
      position integer not null,
      name text not null,
      page_count integer not null,
      -- [{width, height, rotation}] as displayed, points
      pages jsonb not null,
      -- {result, findings} of the document control
      control jsonb not null,
      normalised_accepted boolean not null default false,
      uploaded_sha256 bytea not null,
      uploaded_size bigint not null,
      current_revision integer not null,
      created_at timestamptz not null
    );
    create index documents_envelope on documents (envelope_id, position);

    -- Every revision's bytes are kept under their SHA-256; revision 0 is what the signers read.
    create table document_revisions (
      document_id uuid not null references documents on delete cascade,
      number integer not null,
      kind text not null check (kind in ('original', 'prepared', 'signed', 'completed')),
      blob_sha256 bytea not null,
      size bigint not null,
      recipient_id uuid,
      created_at timestamptz not null,
      primary key (document_id, number)
    );
    create index document_revisions_blob on document_revisions (blob_sha256);

    create table recipients (
      id uuid primary key,
      envelope_id uuid not null references envelopes on delete cascade,
      position integer not null,
      routing_order integer not null,
      role text not null check (role in ('signer', 'approver', 'viewer')),
      email text not null,
      email_key text not null,
      full_name text not null,
      phone_number text,
      status text not null check (status in ('waiting', 'notified', 'viewed', 'signed', 'declined')),
      -- true while this person's signature is asked for now: its turn, envelope open
      awaited boolean not null default false,
      notified_at timestamptz,
      viewed_at timestamptz,
      signed_at timestamptz,
      declined_at timestamptz,
      decline_reason text,
      reminded_at timestamptz
    );
    create index recipients_envelope on recipients (envelope_id, position);
    create index recipients_awaited on recipients (email_key, envelope_id) where awaited;
    create index recipients_email on recipients (email_key, envelope_id);

    create table fields (
      id uuid primary key,
      envelope_id uuid not null references envelopes on delete cascade,
      document_id uuid not null references documents on delete cascade,
      recipient_id uuid not null references recipients on delete cascade,
      position integer not null,
      type text not null check (type in ('signature', 'initials', 'date', 'name', 'text', 'checkbox')),
      page integer not null,
      x double precision not null,
      y double precision not null,
      width double precision not null,
      height double precision not null,
      required boolean not null,
      label text,
      value text
    );
    create index fields_envelope on fields (envelope_id, position);

    -- Counts by owner and status are kept by whoever writes an envelope, never counted by a reader.
    create table envelope_counts (
      owner_id uuid not null,
      status text not null,
      count bigint not null,
      primary key (owner_id, status)
    );
    -- The same by the day of creation in Paris: what the dashboard sums. "days" is the time from creation to completion.
    create table envelope_days (
      owner_id uuid not null,
      day date not null,
      created bigint not null,
      completed bigint not null,
      completed_days double precision not null,
      primary key (owner_id, day)
    );
    -- One pass for each statement, however many rows it wrote.
    ${countsTrigger("insert", "referencing new table as new_rows", added)}
    ${countsTrigger("delete", "referencing old table as old_rows", removed)}
    ${countsTrigger("update", "referencing old table as old_rows new table as new_rows", sql`${removed} union all ${added}`)}

    -- Trigram search (pg_trgm is a trusted extension, but a database of one's own may lack it): without it a search reads the owner's rows.
    do $$
    begin
      create extension if not exists pg_trgm;
      create index envelopes_search on envelopes using gin (search_text gin_trgm_ops) where purged_at is null;
    exception when feature_not_supported or insufficient_privilege or undefined_file or undefined_object then
      raise notice 'pg_trgm is not available: envelopes are searched without an index';
    end $$;
  `.execute(db);
}

const added = changes(1, "new_rows");
const removed = changes(-1, "old_rows");

/** What rows add to the counts, or take from them. */
function changes(sign: 1 | -1, rows: "old_rows" | "new_rows") {
  return sql`
    select owner_id, status, (created_at at time zone 'Europe/Paris')::date as day, ${sql.lit(sign)} as change,
      extract(epoch from updated_at - created_at) / 86400 as days
    from ${sql.raw(rows)} where purged_at is null`;
}

/** Keeps both tables of counts after each statement of this kind. Rows are touched in order, so that two writers never wait for each other; what does not change is not touched. */
function countsTrigger(
  event: "insert" | "delete" | "update",
  transition: string,
  source: RawBuilder<unknown>,
) {
  const name = sql.raw(`keep_envelope_counts_on_${event}`);
  return sql`
    create function ${name}() returns trigger language plpgsql as $$
    begin
      insert into envelope_counts (owner_id, status, count)
      select owner_id, status, sum(change) from (${source}) changes
      group by owner_id, status having sum(change) <> 0 order by owner_id, status
      on conflict (owner_id, status) do update set count = envelope_counts.count + excluded.count;
      insert into envelope_days (owner_id, day, created, completed, completed_days)
      select owner_id, day, sum(change), coalesce(sum(change) filter (where status = 'completed'), 0),
        coalesce(sum(change * days) filter (where status = 'completed'), 0)
      from (${source}) changes group by owner_id, day
      having sum(change) <> 0 or sum(change) filter (where status = 'completed') <> 0 or sum(change * days) filter (where status = 'completed') <> 0
      order by owner_id, day
      on conflict (owner_id, day) do update set created = envelope_days.created + excluded.created,
        completed = envelope_days.completed + excluded.completed, completed_days = envelope_days.completed_days + excluded.completed_days;
      return null;
    end $$;
    create trigger ${name} after ${sql.raw(event)} on envelopes ${sql.raw(transition)} for each statement execute function ${name}();
  `;
}
