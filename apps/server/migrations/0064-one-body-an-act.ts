import { type Kysely, sql } from "kysely";

/** SHA-256 of what a signer sent: the same sent twice is one act, anything else is another. Null: an owner's own document, an act of before. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table signing_acts add column body_sha256 bytea`.execute(db);
}
