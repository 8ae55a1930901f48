import { type Kysely, sql } from "kysely";

/** Why a file of a batch failed, for the page to offer what can be done; and whether its corrected copy was accepted afterwards. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table batch_items add column failure_code text, add column accepts_copy boolean not null default false
  `.execute(db);
}
