import { type Kysely, sql } from "kysely";

/** Erasure of accounts, and the end of the evidence's retention. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- An erased account keeps its id and its dates alone: envelopes, prints and acts that stay as evidence refer to it.
    alter table users add column erased_at timestamptz;

    -- Envelopes that are closed for good, by the moment their retention begins.
    create index envelopes_retention on envelopes (coalesce(completed_at, updated_at))
      where purged_at is null and status in ('completed', 'declined', 'expired');
  `.execute(db);
}
