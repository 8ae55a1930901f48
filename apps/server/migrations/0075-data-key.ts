import { type Kysely, sql } from "kysely";

/** The key that secrets at rest are wrapped by, itself wrapped by MASTER_KEY, which can then be replaced. One row. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table data_key (
      one boolean primary key default true check (one),
      wrapped bytea not null
    )
  `.execute(db);
}
