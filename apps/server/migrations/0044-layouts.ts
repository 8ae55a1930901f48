import { type Kysely, sql } from "kysely";

/** Layouts: where fields stand, to be put on other documents. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table layouts (
      id uuid primary key,
      owner_id uuid not null references users,
      name text not null,
      -- what two names are compared by: lower case, without accents
      name_key text not null,
      -- the fields by the ranks of their documents and people: read and written whole, never searched
      fields jsonb not null,
      created_at timestamptz not null,
      unique (owner_id, name_key)
    );
  `.execute(db);
}
