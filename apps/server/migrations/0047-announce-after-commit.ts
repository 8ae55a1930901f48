import { type Kysely, sql } from "kysely";

/**
 * The triggers tell the connection that makes a change which envelope it is (a NOTICE of the SQLSTATE `CHGD0`), instead of notifying: a transaction that
 * notifies holds a lock of the whole server from before its commit to after it (PostgreSQL 18, async.c, PreCommit_Notify), and all of them queue.
 * The process announces what it was told once the transaction is committed. `client_min_messages` is the function's own: a setting of the database
 * must not make it silent.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create function tell_change(change text) returns void language plpgsql set client_min_messages = notice as $$
    begin
      raise notice using errcode = 'CHGD0', message = change;
    end $$;
    create or replace function announce_envelope() returns trigger language plpgsql as $$
    begin
      perform tell_change(new.envelope_id::text);
      return null;
    end $$;
    create or replace function announce_left_recipient() returns trigger language plpgsql as $$
    begin
      perform tell_change(old.envelope_id || ' ' || u.id) from users u where u.email_key = old.email_key;
      return null;
    end $$;
  `.execute(db);
}
