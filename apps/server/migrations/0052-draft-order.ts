import { type Kysely, sql } from "kysely";

/** When a person's drafts were last changed is read from the head of an index, however many there are. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index envelopes_owner_drafts on envelopes (owner_id, updated_at desc) where status = 'draft' and purged_at is null;
  `.execute(db);
}
