import pg from "pg";
import { joinEmbeddedPostgres } from "../../apps/server/src/platform/database/embedded/embedded-postgres.ts";

/** Connects to the embedded database of a running server. */
export async function openDatabase(dataDir: string): Promise<{
  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}> {
  const server = await joinEmbeddedPostgres({ dataDir });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  return {
    async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []) {
      return (await client.query<T>(sql, values)).rows;
    },
    async close() {
      await client.end();
      await server.leave();
    },
  };
}
