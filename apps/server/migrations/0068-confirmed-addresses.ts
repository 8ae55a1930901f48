import { type Kysely, sql } from "kysely";

/**
 * When something mailed to an account's address came back from a person in its session: from then on the account acts as the recipient of that
 * address. Its activation is no such thing, for a mail filter opens links too.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table users add column address_confirmed_at timestamptz`.execute(db);
}
