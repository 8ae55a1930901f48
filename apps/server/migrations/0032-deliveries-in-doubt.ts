import { type Kysely, sql } from "kysely";

/** Whether a message that no server has taken may have reached its reader all the same: a connection refused, or a clear no, leaves no doubt. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table notices add column may_have_left boolean not null default false;
    -- what became of earlier tries was not kept
    update notices set may_have_left = true where tries > 0 and state in ('queued', 'withdrawn');
  `.execute(db);
}
