import { type Kysely, sql } from "kysely";

/** The backups that were made whole: when the last one was is watched. `place` bears no key. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table backups (
      id text primary key,
      place text not null,
      started_at timestamptz not null,
      ended_at timestamptz not null,
      files bigint not null,
      bytes bigint not null
    )`.execute(db);
  await sql`create index backups_ended on backups (ended_at)`.execute(db);
}
