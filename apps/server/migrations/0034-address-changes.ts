import { type Kysely, sql } from "kysely";

/** The address that an account asked to have instead, until a link sent there comes back. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table address_changes (
      user_id uuid primary key references users on delete cascade,
      token_sha256 bytea not null,
      email text not null,
      email_key text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index address_changes_expiry on address_changes (expires_at);
  `.execute(db);
}
