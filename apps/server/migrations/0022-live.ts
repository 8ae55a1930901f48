import { type Kysely, sql } from "kysely";

/**
 * Tells whoever listens, at the commit, which envelope changed. Every change of an envelope appends to its journal in its own transaction, and what becomes
 * of its messages stands in `notices`: announced here, no change can be forgotten by whoever writes it. Ids alone are told: any client of the database
 * may listen. The same message twice in one transaction is one (PostgreSQL 18, NOTIFY).
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create function announce_envelope() returns trigger language plpgsql as $$
    begin
      perform pg_notify('envelope_changed', new.envelope_id::text);
      return null;
    end $$;
    create trigger announce_envelope after insert on audit_events for each row execute function announce_envelope();
    create trigger announce_envelope after insert or update of state, server_answer, opened_at on notices
      for each row when (new.envelope_id is not null) execute function announce_envelope();

    -- Whoever is a recipient no more, the address being corrected or erased, is found through the envelope no more either: told by the account's id.
    create function announce_left_recipient() returns trigger language plpgsql as $$
    begin
      perform pg_notify('envelope_changed', old.envelope_id || ' ' || u.id) from users u where u.email_key = old.email_key;
      return null;
    end $$;
    create trigger announce_left_recipient after update of email_key on recipients
      for each row when (old.email_key is distinct from new.email_key and old.notified_at is not null) execute function announce_left_recipient();
  `.execute(db);
}
