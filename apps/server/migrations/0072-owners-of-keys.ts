import { type Kysely, sql } from "kysely";

/** Which process answers the request of a key: nobody waits for one that has died. Null: nobody can tell, and its age decides. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency_keys add column owner integer`.execute(db);
}
