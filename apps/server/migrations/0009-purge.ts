import { type Kysely, sql } from "kysely";

/** What stays of a signer's certificate once its envelope is purged: the certificate itself bears a name and an address. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- SHA-256 of certificate_der, set when it is emptied
    alter table certificates add column certificate_hash bytea;
  `.execute(db);
}
