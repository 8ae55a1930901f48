import { sql } from "kysely";
import type { Database } from "../../../platform/database/database.ts";

export const MCP_CHANNEL = "mcp";

/** To the process that waits for this person's answer. */
export async function announceConfirmation(db: Database, payload: string): Promise<void> {
  await sql`select tell_channel(${MCP_CHANNEL}, ${payload})`.execute(db);
}
