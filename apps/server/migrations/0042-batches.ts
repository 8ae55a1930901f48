import { type Kysely, sql } from "kysely";

/** Many documents of one's own, signed at once: the batch, and each of its files. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table batch_jobs (
      id uuid primary key,
      owner_id uuid not null references users on delete cascade,
      title text,
      -- {full_name, email, email_key}: who agreed, under the name of that moment
      signer jsonb not null,
      -- {page, x, y, width, height}
      placement jsonb not null,
      mark jsonb not null,
      evidence jsonb not null,
      if_fixable text not null check (if_fixable in ('accept', 'refuse')),
      consent_version text not null,
      ip_address text,
      user_agent text,
      -- the moment of consent
      created_at timestamptz not null,
      started_at timestamptz,
      cancelled_at timestamptz,
      finished_at timestamptz,
      -- manifeste.json as signed, for the archive of that content: a second download is the same bytes
      manifest text,
      manifest_key text
    );
    create index batch_jobs_owner on batch_jobs (owner_id, created_at desc, id desc);
    create index batch_jobs_unfinished on batch_jobs (created_at) where finished_at is null;
    create index batch_jobs_finished on batch_jobs (finished_at) where finished_at is not null;

    -- The id of an item is the id of the act that its signature makes: a second act of one item cannot be written.
    create table batch_items (
      id uuid primary key,
      job_id uuid not null references batch_jobs on delete cascade,
      position integer not null,
      name text not null,
      placement jsonb,
      -- emptied once signed: the envelope has its own
      source_sha256 bytea,
      source_size bigint not null,
      status text not null check (status in ('queued', 'done', 'failed', 'cancelled')),
      failed_tries integer not null default 0,
      detail text,
      envelope_id uuid unique,
      signed_sha256 bytea,
      signed_size bigint,
      ended_at timestamptz,
      unique (job_id, position),
      check ((status = 'done') = (envelope_id is not null and signed_sha256 is not null))
    );
    create index batch_items_queued on batch_items (job_id, position) where status = 'queued';
    create index batch_items_source on batch_items (source_sha256) where source_sha256 is not null;
  `.execute(db);
}
