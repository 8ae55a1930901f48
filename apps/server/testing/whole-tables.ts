import { sql } from "kysely";
import type { Database } from "../src/platform/database/database.ts";

/** The service's tables, those of single years left out: their rows are read, and written, through the whole. */
export async function wholeTables(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}
