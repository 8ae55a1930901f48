import { sql } from "kysely";
import type { Database } from "../src/platform/database/database.ts";

/** Without the partitions of years. */
export async function wholeTables(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}
