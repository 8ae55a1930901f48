import { type Kysely, sql } from "kysely";

/** On whose behalf a message goes: those of one sender take turns with those of others, and are counted. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- an account; null: nobody who was signed in asked for it, or the service itself did
    alter table notices add column sender_id uuid;
    create index notices_waiting on notices (sender_id) where state = 'queued' and held_for is null;
  `.execute(db);
}
