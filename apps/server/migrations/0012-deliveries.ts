import { type Kysely, sql } from "kysely";

/** What became of a message once it left, and which deadlines were announced. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table notices drop constraint notices_state_check;
    -- delivered: its link was opened, or its code came back; withdrawn: what it asked for was no longer possible
    alter table notices add constraint notices_state_check check (state in ('queued', 'sent', 'delivered', 'refused', 'withdrawn'));
    -- SHA-256 of the token in its link: opening the link says which message arrived, without any image to fetch
    alter table notices add column link_sha256 bytea;
    alter table notices add column opened_at timestamptz;
    -- when it left, was refused or was withdrawn
    alter table notices add column ended_at timestamptz;
    create index notices_link on notices (link_sha256) where link_sha256 is not null;

    -- the last warning given, in days before the deadline
    alter table envelopes add column deadline_warned_days smallint;
  `.execute(db);
}
