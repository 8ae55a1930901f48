import { type Kysely, sql } from "kysely";

/** Where copies of the checkpoints go outside (security §3), how far each place has them, and since when it could not be reached. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table transparency_copies (
      -- which place: a kind and an address, never a secret; another one begins anew
      target text primary key,
      -- leaves of the newest checkpoint that is there; of mail, that was asked to be sent
      size bigint not null default 0,
      copied_at timestamptz,
      -- while it fails: since when, when it was last tried, and why, for the operator
      failing_since timestamptz,
      tried_at timestamptz,
      fault text,
      -- of mail: the last message
      notice_id uuid
    );
  `.execute(db);
}
