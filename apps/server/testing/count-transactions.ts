import { sql } from "kysely";
import type { Database } from "../src/platform/database/database.ts";

/** Other connections of this database inside a transaction, as the server counts them. */
export async function countTransactions(owner: Database): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend' and xact_start is not null and pid <> pg_backend_pid()`.execute(
    owner,
  );
  return rows.length;
}
