import { type Kysely, sql } from "kysely";

/**
 * Every registration waits on its own: a second one with the same e-mail neither replaces nor ends the first. The one whose link is opened becomes
 * the account; of activated accounts one alone has an address.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table users drop constraint users_email_key_key;
    create unique index users_email_activated on users (email_key) where activated_at is not null;
    create index users_email on users (email_key);
  `.execute(db);
}
