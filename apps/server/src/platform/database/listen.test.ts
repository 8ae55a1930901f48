import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { createListen, type Listening } from "./listen.ts";

let database: TestDatabase;
let listening: Listening | null;
const warned: string[] = [];
const log = { info() {}, warn: (_fields: object, message: string) => void warned.push(message), error() {} };

beforeEach(async () => {
  database = await createTestDatabase();
  listening = null;
});
afterEach(async () => {
  await listening?.close();
  await database.drop();
});

function listen(url: string) {
  const heard: string[] = [];
  let gaps = 0;
  const handlers = { onMessage: (payload: string) => void heard.push(payload), onGap: () => void gaps++ };
  listening = createListen({ url, log })("envelope_changed", handlers);
  return { listening, heard, gaps: () => gaps };
}

const say = (payload: string) => sql`select pg_notify('envelope_changed', ${payload})`.execute(database.db);

test("hears what is said once its transaction is committed, and nothing of one that is not", async () => {
  const { listening: line, heard, gaps } = listen(database.url);
  expect(await line.arrives(5_000)).toBe(true);
  const failing = database.db.transaction().execute(async (trx) => {
    await sql`select pg_notify('envelope_changed', 'a')`.execute(trx);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  await say("b");
  await expect.poll(() => heard).toEqual(["b"]);
  expect(gaps()).toBe(0);
});

test("comes back by itself when its connection is cut, and says that something may have been missed", async () => {
  const { listening: line, heard, gaps } = listen(database.url);
  await line.arrives(5_000);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'paraphe-live' and datname = current_database()`.execute(
    database.owner,
  );
  await expect.poll(gaps, { timeout: 10_000 }).toBe(1);
  expect(warned).toContain("the listening connection was lost");
  await say("after");
  await expect.poll(() => heard).toEqual(["after"]);
});

test("says that nothing arrives while the database is away, and closes all the same", async () => {
  const { listening: line } = listen("postgres://paraphe@127.0.0.1:9/paraphe");
  expect(await line.arrives(300)).toBe(false);
  await line.close();
});

test("gives its connection back when it is closed", async () => {
  const { listening: line } = listen(database.url);
  await line.arrives(5_000);
  await line.close();
  const open = sql<{
    count: number;
  }>`select count(*) from pg_stat_activity where application_name = 'paraphe-live' and datname = current_database()`;
  await expect.poll(async () => (await open.execute(database.db)).rows[0]?.count).toBe(0);
});
