import { type Kysely, sql } from "kysely";

/** The code that opened a guest's session: the consent given in it names that code, and by it how the person was reached. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`delete from guest_sessions`.execute(db);
  await sql`alter table guest_sessions add column code_id uuid not null`.execute(db);
}
