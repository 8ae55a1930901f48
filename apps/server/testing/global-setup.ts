import { joinTestPostgres } from "./postgres.ts";

export default async function startPostgres(): Promise<() => Promise<void>> {
  const server = await joinTestPostgres();
  return () => server.leave();
}
