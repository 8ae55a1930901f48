import { type Kysely, sql } from "kysely";

/** A number is its owner's once a code sent to it came back: until then no text goes there but codes. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table users add column phone_verified_at timestamptz;

    -- The one code that an account waits for.
    create table phone_codes (
      user_id uuid primary key references users on delete cascade,
      id uuid not null,
      phone_number text not null,
      code_hmac bytea not null,
      wrong_tries integer not null default 0,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index phone_codes_expiry on phone_codes (expires_at);
  `.execute(db);
}
