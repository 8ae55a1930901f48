import { type Kysely, sql } from "kysely";

/**
 * Which deadline each recipient was told last, and whether they still have to hear that a link that had stopped works again; and which announcement of a
 * deadline is the last one asked for. Who was asked in an open envelope was told the deadline that it has.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table recipients add column told_deadline_at timestamptz, add column untold_reopening boolean not null default false;
    alter table envelopes add column deadline_announcement uuid;
    update recipients r set told_deadline_at = e.deadline_at from envelopes e
    where e.id = r.envelope_id and e.deadline_at is not null and e.purged_at is null
      and e.status in ('sent', 'pending', 'expired', 'cancelled') and r.notified_at is not null;
  `.execute(db);
}
