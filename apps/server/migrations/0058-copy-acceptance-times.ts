import { type Kysely, sql } from "kysely";

/**
 * When the corrected copy of a file was accepted, after the batch had been agreed to without it: the act is of that moment, not of the earlier one.
 * `accepts_copy` (0055) said that it was and not when: it is read no more, and stays for processes of the version before. What waits on its word alone
 * is asked about again.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table batch_items add column copy_accepted_at timestamptz`.execute(db);
}
