import { type Kysely, sql } from "kysely";

/** Templates: prepared envelopes without their people. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table templates (
      id uuid primary key,
      owner_id uuid not null references users,
      name text not null,
      -- what two names are compared by: lower case, without accents
      name_key text not null,
      -- {title, message, flow, roles, fields}: read and written whole, never searched
      content jsonb not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (owner_id, name_key)
    );
    -- Bytes are kept under their SHA-256 and shared with the envelopes that have the same file.
    create table template_documents (
      template_id uuid not null references templates on delete cascade,
      position integer not null,
      name text not null,
      page_count integer not null,
      blob_sha256 bytea not null,
      size bigint not null,
      primary key (template_id, position)
    );
    create index template_documents_blob on template_documents (blob_sha256);
  `.execute(db);
}
