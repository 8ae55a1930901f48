import { type Kysely, sql } from "kysely";

/** Printed proofs: the QR codes' identities. They answer for ever, so a print outlives its envelope's files. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table prints (
      id uuid primary key,
      envelope_id uuid not null references envelopes,
      owner_id uuid not null references users,
      qr_type text not null check (qr_type in ('page', 'last', 'certificate')),
      key_id text not null,
      created_at timestamptz not null
    );
    create index prints_envelope on prints (envelope_id);
    create index prints_owner on prints (owner_id, created_at desc);
  `.execute(db);
}
