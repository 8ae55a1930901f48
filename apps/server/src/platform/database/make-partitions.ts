import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Makes the missing tables of this year and the next (`years.sql`); rows of a year without one stand in the default. */
export async function makePartitions(db: Database): Promise<void> {
  await sql`select make_partitions()`.execute(db);
}
