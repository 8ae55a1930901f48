import { type Kysely, sql } from "kysely";

/** The audit journal: dense and chained per envelope, never updated, never deleted (security §3). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table audit_events (
      envelope_id uuid not null,
      sequence integer not null,
      at timestamptz not null,
      actor text not null,
      action text not null,
      -- personal data only as salted commitments; the salts and values stand in audit_details and may be erased
      detail jsonb not null,
      hash bytea not null,
      previous_hash bytea,
      primary key (envelope_id, sequence)
    );
    create table audit_details (
      envelope_id uuid not null,
      sequence integer not null,
      name text not null,
      salt bytea not null,
      value jsonb not null,
      primary key (envelope_id, sequence, name),
      foreign key (envelope_id, sequence) references audit_events
    );
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception 'audit_events takes inserts only';
    end $$;
    create trigger audit_events_insert_only before update or delete or truncate on audit_events for each statement execute function refuse_change();
  `.execute(db);
}
