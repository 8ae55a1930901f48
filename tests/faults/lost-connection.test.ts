import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { openDatabase } from "../support/open-database.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/run-here.ts";

const PERSON = {
  username: "faustine",
  email: "faustine@exemple.fr",
  password: "Xk93-plume-verte",
  first_name: "Faustine",
  last_name: "Aubry",
  birth_date: "1990-01-01",
};
/** Longer than the service takes to end after a bug. */
const UNTIL_IT_WOULD_HAVE_ENDED_MS = 3_000;

let server: RunningServer;
let client: ApiClient;
let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: "off" } });
  client = createApiClient(server.url);
  database = await openDatabase(server.dataDir);
  await client.get("/api/verify-token/");
}, 240_000);
afterAll(async () => {
  client?.close();
  await database?.close();
  await server?.close();
});

/** Ends backends that wait for a lock, as a failover does; gives their number. */
async function endWaitingBackends(): Promise<number> {
  for (;;) {
    const rows = await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'paraphe' and datname = current_database() and state = 'active' and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return rows.length;
    await sleep(50);
  }
}

test("a connection that PostgreSQL ends within a transaction costs only its request", async () => {
  const lockHolder = await openDatabase(server.dataDir);
  await lockHolder.query("begin");
  await lockHolder.query("lock table users in exclusive mode");
  const cut = client.post("/api/signature/register/", { json: PERSON });
  expect(await endWaitingBackends()).toBeGreaterThan(0);
  expect((await cut).status).toBeGreaterThanOrEqual(500);
  await lockHolder.query("rollback");
  await lockHolder.close();

  await sleep(UNTIL_IT_WOULD_HAVE_ENDED_MS);
  expect(server.said()).not.toMatch(/escaped/);
  expect((await client.post("/api/signature/register/", { json: PERSON })).status).toBe(201);
  expect(await verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
}, 60_000);
