import { type Kysely, sql } from "kysely";

/** « Preuve seule »: whoever holds a print's code sees what the document is worth, and not the document. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table envelopes add column proof_only boolean not null default false`.execute(db);
}
