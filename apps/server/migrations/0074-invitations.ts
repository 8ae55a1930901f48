import { type Kysely, sql } from "kysely";

/** Who may register where registration is closed, and who administers the service. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table users add column administrator boolean not null default false
  `.execute(db);
  await sql`
    create table registration_invitations (
      token_sha256 bytea primary key,
      administrator boolean not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )
  `.execute(db);
}
