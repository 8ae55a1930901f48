import { joinTestPostgres } from "./postgres.ts";

/** Starts PostgreSQL once for the whole run, and stops it at its end. */
export default async function startPostgres(): Promise<() => Promise<void>> {
  const server = await joinTestPostgres();
  return () => server.leave();
}
