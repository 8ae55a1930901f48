import { sql } from "kysely";
import { EVERYTHING } from "./announce-changes.ts";
import type { Database } from "./database.ts";

/** Covers for a process that died between a commit and its announcement. */
export async function announceEverything(db: Database): Promise<void> {
  await sql`select pg_notify('envelope_changed', ${EVERYTHING})`.execute(db);
}
