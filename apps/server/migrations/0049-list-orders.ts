import { type Kysely, sql } from "kysely";

/**
 * Each order that a list may be asked for has its index, and no other. Titles are ordered by their folded text, as somebody reads a list of names: capitals and
 * accents part nobody; a database of any locale gives the same order.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    drop index envelopes_owner_updated, envelopes_owner_last_deadline, envelopes_owner_title;
    create index envelopes_owner_title on envelopes (owner_id, (search_text collate "C"), id) where purged_at is null;
  `.execute(db);
}
