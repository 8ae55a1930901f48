import { type Kysely, sql } from "kysely";

/** Automatic reminders, and the wish for a longer deadline. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    -- null: none
    alter table envelopes add column remind_every_days smallint check (remind_every_days between 1 and 30);
    -- When to look whether a reminder is due: at the latest when one is. Kept by whoever asks somebody; read by the job alone.
    alter table envelopes add column next_reminder_at timestamptz;
    create index envelopes_next_reminder on envelopes (next_reminder_at)
      where next_reminder_at is not null and status in ('sent', 'pending') and purged_at is null;
    -- the last time a recipient wished for a longer deadline and the sender was told
    alter table envelopes add column extension_requested_at timestamptz;

    -- when this person was last asked, by whatever message: what a reminder is counted from
    alter table recipients add column asked_at timestamptz;
    update recipients set asked_at = greatest(notified_at, reminded_at);
    alter table recipients add column automatic_reminders smallint not null default 0;
  `.execute(db);
}
