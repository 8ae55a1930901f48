import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { connectDatabase, type Database, type Reader } from "./database.ts";

let database: TestDatabase;
let db: Database;
const lost: Error[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.url, { maxConnections: 1, onConnectionLost: (error) => lost.push(error) });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() => {
  lost.length = 0;
});

const endBackendOf = async (reader: Reader) => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(reader);
  await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.owner);
};
const answers = () => sql<{ one: number }>`select 1 as one`.execute(db).then(({ rows }) => rows);

test("a connection lost inside a transaction fails its work, is told once, and is replaced", async () => {
  const cut = db.transaction().execute(async (trx) => {
    await endBackendOf(trx);
    await sql`select 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow();
  expect(await answers()).toEqual([{ one: 1 }]);
  expect(lost).toHaveLength(1);
});

test("a connection lost while idle is told once, and replaced", async () => {
  await endBackendOf(db);
  await expect.poll(() => lost.length).toBe(1);
  expect(await answers()).toEqual([{ one: 1 }]);
  expect(lost).toHaveLength(1);
});
