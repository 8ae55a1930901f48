import { type Kysely, sql } from "kysely";

/** Which store of files this database refers to: the same id stands in the store. One row. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table store_identity (
      id uuid primary key,
      one boolean not null default true unique check (one)
    )
  `.execute(db);
}
