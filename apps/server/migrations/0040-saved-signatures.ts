import { type Kysely, sql } from "kysely";

/** The marks that an account keeps, to sign again with one of them. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table saved_signatures (
      id uuid primary key,
      user_id uuid not null references users,
      name text not null,
      kind text not null check (kind in ('drawn', 'typed', 'uploaded')),
      -- strokes, text and hand, or PNG: unreadable without the master key
      mark_wrapped bytea not null,
      is_default boolean not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    );
    create index saved_signatures_user on saved_signatures (user_id, created_at desc, id desc);
    create unique index saved_signatures_default on saved_signatures (user_id) where is_default;
  `.execute(db);
}
