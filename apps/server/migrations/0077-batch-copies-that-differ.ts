import { type Kysely, sql } from "kysely";

/** Whether the owner of a batch accepted a file's corrected copy after they were told that it looks otherwise. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table batch_items add column copy_may_differ boolean not null default false`.execute(
    db,
  );
}
