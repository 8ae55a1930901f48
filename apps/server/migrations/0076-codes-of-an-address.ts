import { type Kysely, sql } from "kysely";

/**
 * Codes that confirm the address of an account are counted for that address, and for nobody who was invited there: whoever is signed in guesses no more by
 * being sent more envelopes, nor by a new account of the same address.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table one_time_codes
      alter column recipient_id drop not null,
      -- a keyed hash
      add column address_hmac bytea,
      add constraint one_time_codes_holder check (num_nonnulls(recipient_id, address_hmac) = 1);
    create index one_time_codes_address on one_time_codes (address_hmac, created_at desc) where address_hmac is not null;
    create unique index one_time_codes_address_live on one_time_codes (address_hmac) where used_at is null and killed_at is null;

    create table address_tries (
      address_hmac bytea primary key,
      wrong_tries integer not null default 0,
      last_try_at timestamptz not null
    );
    create index address_tries_age on address_tries (last_try_at);
  `.execute(db);
}
