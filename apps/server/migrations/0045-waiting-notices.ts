import { type Kysely, sql } from "kysely";

/** When somebody wants to hear of what is not urgent: not at night, or once a day. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table users add column quiet_hours boolean not null default false;
    alter table users add column daily_summary boolean not null default false;

    -- why a message waits; null: it does not, or waits no more
    alter table notices add column held_for text check (held_for in ('quiet', 'summary'));
    alter table notices add column not_before timestamptz;
    -- the mail that lists it: it leaves, or is refused, with that mail
    alter table notices add column summary_id uuid;
    create index notices_held on notices (not_before) where held_for is not null and summary_id is null and state = 'queued';
    create index notices_summary on notices (summary_id) where summary_id is not null;
  `.execute(db);
}
