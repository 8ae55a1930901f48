import { type Kysely, sql } from "kysely";

/** Checks of the store that found nothing: the next one may start where the last one ended. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table store_checks (
      number bigint generated always as identity primary key,
      at timestamptz not null,
      -- leaves of the transparency log when it began: whatever is written later has a leaf after them, or waits for one
      leaves bigint not null
    )`.execute(db);
}
