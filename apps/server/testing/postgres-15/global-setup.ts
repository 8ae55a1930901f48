import { ownPostgresMissing, startOwnPostgres } from "../servers/own-postgres.ts";
import { OLDEST_POSTGRES_URL } from "../postgres.ts";

/** The oldest supported PostgreSQL, for the run. */
export default async function startOldestPostgres(): Promise<() => Promise<void>> {
  if (ownPostgresMissing() !== null) return async () => {};
  const server = await startOwnPostgres({
    max_connections: "300",
    synchronous_commit: "off",
    autovacuum: "off",
  });
  process.env[OLDEST_POSTGRES_URL] = server.urlOf("postgres");
  return () => server.stop();
}
