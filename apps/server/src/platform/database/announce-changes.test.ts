import { sql } from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { createChangeAnnouncer, EVERYTHING } from "./announce-changes.ts";
import { announceEverything } from "./announce-everything.ts";
import { connectDatabase, type Database, type Reader } from "./database.ts";
import { createListen, type Listening } from "./listen.ts";

const log = { info() {}, warn() {}, error() {} };
let database: TestDatabase;
let db: Database;
let listening: Listening;
let heard: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.url, { maxConnections: 2 });
  listening = createListen({ url: database.url, log })("envelope_changed", {
    onMessage: (change) => void heard.push(change),
    onGap() {},
  });
  await listening.arrives(5_000);
});
beforeEach(() => {
  heard = [];
});
afterAll(async () => {
  await listening.close();
  await db.destroy();
  await database.drop();
});

const change = (reader: Reader, what: string) => sql`select tell_change(${what})`.execute(reader);
/** Once this is heard, what was committed before it was too. */
async function settled(): Promise<string[]> {
  await change(db, "last");
  await expect.poll(() => heard).toContain("last");
  return heard.filter((message) => message !== "last");
}

test("what changes in a transaction is announced once it is committed, and once", async () => {
  await db.transaction().execute(async (trx) => {
    for (const what of ["a", "b", "a"]) await change(trx, what);
    await sleep(80);
    expect(heard).toEqual([]);
  });
  expect((await settled()).toSorted()).toEqual(["a", "b"]);
});

test("nothing is said of what was rolled back, by its work or by a statement that failed", async () => {
  const failing = db.transaction().execute(async (trx) => {
    await change(trx, "a");
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  const refused = db.transaction().execute(async (trx) => {
    await change(trx, "b");
    await sql`select 1 / 0`.execute(trx);
  });
  await expect(refused).rejects.toThrow("division by zero");
  await expect(sql`select tell_change('c'), 1 / (random() * 0)::int`.execute(db)).rejects.toThrow("division by zero");
  // The same connections, once they serve others.
  await db.transaction().execute((trx) => change(trx, "d"));
  expect(await settled()).toEqual(["d"]);
});

test("a commit that PostgreSQL turns into a rollback announces nothing", async () => {
  await db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    await change(connection, "a");
    await expect(sql`select 1 / 0`.execute(connection)).rejects.toThrow();
    await sql`commit`.execute(connection);
    await sql`begin`.execute(connection);
    await change(connection, "b");
    await sql`savepoint before`.execute(connection);
    await sql`rollback to savepoint before`.execute(connection);
    await sql`commit`.execute(connection);
  });
  expect(await settled()).toEqual(["b"]);
});

test("what a transaction has to say on another channel is said there, once it is committed", async () => {
  const jobs: string[] = [];
  const other = createListen({ url: database.url, log })("jobs" as never, { onMessage: (job) => void jobs.push(job), onGap() {} });
  await other.arrives(5_000);
  await db.transaction().execute(async (trx) => {
    for (let n = 0; n < 3; n++) await sql`select tell_channel('jobs', 'greet')`.execute(trx);
    await sleep(80);
    expect(jobs).toEqual([]);
  });
  expect(await settled()).toEqual([]);
  await expect.poll(() => jobs).toEqual(["greet"]);
  await other.close();
});

test("a setting of the database that hides notices hides no change", async () => {
  await db.transaction().execute(async (trx) => {
    await sql`set local client_min_messages = error`.execute(trx);
    await change(trx, "a");
  });
  expect(await settled()).toEqual(["a"]);
});

test("a transaction that changes an envelope does not notify: it holds nobody's commit up", async () => {
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc where prosrc ilike '%notify%' and pronamespace = 'public'::regnamespace`.execute(db);
  expect(rows).toEqual([]);
});

test("what waits when the pool ends is announced before; a process that starts has everything asked for again", async () => {
  const leaving = connectDatabase(database.url, { maxConnections: 1 });
  await change(leaving, "a");
  await leaving.destroy();
  await expect.poll(() => heard).toEqual(["a"]);
  await announceEverything(db);
  await expect.poll(() => heard).toEqual(["a", EVERYTHING]);
});

test("what is committed while the pool ends, on a connection that it waits for, is announced too", async () => {
  const leaving = connectDatabase(database.url, { maxConnections: 2 });
  const { promise: isEnding, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const working = leaving.transaction().execute(async (trx) => {
    await change(trx, "late");
    begin();
    await isEnding;
  });
  await begun;
  await change(leaving, "early");
  const ended = leaving.destroy();
  await sleep(100);
  goOn();
  await working;
  await ended;
  await expect.poll(() => heard.toSorted()).toEqual(["early", "late"]);
});

test("a change whose commit was cut off is announced, for it may be there", async () => {
  const cut = db.transaction().execute(async (trx) => {
    await change(trx, "a");
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.owner);
    await sql`select 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow();
  expect(await settled()).toEqual(["a"]);
});

test("changes come together; those that could not be announced are again, and too many are told as everything", async () => {
  const announced: string[][] = [];
  const told = (payload: string, channel = "envelope_changed") => ({ channel, payload });
  let failures = 1;
  const troubles: unknown[] = [];
  const announcer = createChangeAnnouncer(
    async (changes) => {
      if (failures-- > 0) throw new Error("away");
      announced.push(changes.map(({ payload }) => payload));
    },
    (error) => void troubles.push(error),
  );
  for (const what of ["a", "b", "a"]) announcer.add(told(what));
  await expect.poll(() => announced, { timeout: 3_000 }).toEqual([["a", "b"]]);
  expect(troubles).toHaveLength(1);
  for (let n = 0; n < 5_000; n++) announcer.add(told(String(n)));
  announcer.add(told("greet", "jobs"));
  await announcer.rest();
  expect(announced[1]).toEqual(["greet", EVERYTHING]);
  announcer.add(told("late"));
  await sleep(80);
  expect(announced).toHaveLength(2);
});
