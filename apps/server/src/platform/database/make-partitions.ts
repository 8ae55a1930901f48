import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Makes the tables of this year and of the next one that are not there yet (migration 0079): a year ahead, and what one is missing for stands in the default. */
export async function makePartitions(db: Database): Promise<void> {
  await sql`select make_partitions()`.execute(db);
}
