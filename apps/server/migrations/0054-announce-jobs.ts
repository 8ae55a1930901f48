import { type Kysely, sql } from "kysely";

/**
 * What 0047 did for the changes of envelopes, for any channel: whoever would notify in a transaction tells its connection instead (SQLSTATE `CHGD1`, the
 * channel as the detail), and the process notifies once it is committed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create function tell_channel(channel text, payload text) returns void language plpgsql set client_min_messages = notice as $$
    begin
      raise notice using errcode = 'CHGD1', message = payload, detail = channel;
    end $$;
  `.execute(db);
}
