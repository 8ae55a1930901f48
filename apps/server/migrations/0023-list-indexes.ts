import { type Kysely, sql } from "kysely";

/** Every order of a list has its index. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index envelopes_owner_updated on envelopes (owner_id, updated_at desc, id desc) where purged_at is null;
    create index envelopes_owner_title on envelopes (owner_id, title, id) where purged_at is null;
    create index envelopes_owner_deadline on envelopes (owner_id, deadline_at, id) where purged_at is null;
    -- nulls last in both directions: no index gives that backwards
    create index envelopes_owner_last_deadline on envelopes (owner_id, deadline_at desc nulls last, id desc) where purged_at is null;
  `.execute(db);
}
