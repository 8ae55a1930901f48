import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../../../testing/servers/database-proxy.ts";
import { connectDatabase, type Database, type Reader, type Transaction } from "./database.ts";
import { inParallel, inTransaction } from "./in-transaction.ts";
import {
  type Listening,
  createListen,
  paceOf,
  pauseAfter,
  GONE_AFTER_MS,
} from "./lasting-connection.ts";
import { PreparingClient } from "./preparing-client.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe("a connection", () => {
  let db: Database;
  const lost: Error[] = [];

  beforeAll(async () => {
    db = connectDatabase(database.url, {
      maxConnections: 1,
      onConnectionLost: (error) => lost.push(error),
    });
  });
  afterAll(() => db.destroy());
  beforeEach(() => {
    lost.length = 0;
  });

  const endBackendOf = async (reader: Reader) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(reader);
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.owner);
  };
  const answers = () => sql<{ one: number }>`select 1 as one`.execute(db).then(({ rows }) => rows);

  test("a connection lost inside a transaction fails its work, is reported once, and is replaced", async () => {
    const cut = db.transaction().execute(async (trx) => {
      await endBackendOf(trx);
      await sql`select 1`.execute(trx);
    });
    await expect(cut).rejects.toThrow();
    expect(await answers()).toEqual([{ one: 1 }]);
    expect(lost).toHaveLength(1);
  });

  test("a short work awaits a busy connection, and gets another one beside long ones", async () => {
    const pool = connectDatabase(database.url, { maxConnections: 4 });
    const work = (seconds: number) =>
      sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(${seconds})`
        .execute(pool)
        .then(({ rows }) => rows[0]?.pid);
    try {
      await Promise.all([work(0), work(0)]);
      const short = await Promise.all(Array.from({ length: 6 }, () => work(0.005)));
      expect(new Set(short).size).toBe(2);
      const long = [work(2), work(2)];
      const beside = await work(0);
      expect(short).not.toContain(beside);
      expect(short).toEqual(expect.arrayContaining(await Promise.all(long)));
    } finally {
      await pool.destroy();
    }
  });

  test("a connection lost while idle is reported once, and replaced", async () => {
    await endBackendOf(db);
    await expect.poll(() => lost.length).toBe(1);
    expect(await answers()).toEqual([{ one: 1 }]);
    expect(lost).toHaveLength(1);
  });
});

describe("a server that changes under the service", () => {
  let proxy: DatabaseProxy;
  let db: Database;

  beforeAll(async () => {
    proxy = await openDatabaseProxy(database.url);
    db = connectDatabase(proxy.url, {
      maxConnections: 2,
      limits: { statementMs: 300, lockMs: 300 },
    });
  });
  afterAll(async () => {
    await db.destroy();
    proxy.close();
  });
  const one = (reader: Reader) =>
    sql<{ one: number }>`select 1 as one`.execute(reader).then(({ rows }) => rows[0]?.one);

  test("a silent server fails what was asked, and the next query goes to another server", async () => {
    await Promise.all([one(db), one(db)]);
    proxy.fallSilent();
    await expect(Promise.all([one(db), one(db)])).rejects.toThrow("Query read timeout");
    await expect.poll(() => one(db).catch(() => 0), { timeout: 5_000 }).toBe(1);
  });

  test("idle connections of a silent server are closed, and the first query goes to another server", async () => {
    const lost: Error[] = [];
    const patient = connectDatabase(proxy.url, {
      maxConnections: 2,
      onConnectionLost: (error) => lost.push(error),
    });
    await Promise.all([one(patient), one(patient)]);
    proxy.fallSilent();
    await expect.poll(() => lost.length, { timeout: 30_000 }).toBe(2);
    const silent = expect.objectContaining({
      message: "The database server fell silent",
      code: "08006",
    });
    expect(lost).toEqual([silent, silent]);
    expect(await one(patient)).toBe(1);
    await patient.destroy();
  }, 40_000);

  test("a server that falls silent within a transaction loses its connection", async () => {
    const cut = db.transaction().execute(async (trx) => {
      await one(trx);
      proxy.fallSilent();
      await one(trx);
    });
    await expect(cut).rejects.toThrow();
    expect(await one(db)).toBe(1);
  });

  test("an idle connection to a server that became a replica is closed", async () => {
    const lost: Error[] = [];
    const single = connectDatabase(database.url, {
      maxConnections: 1,
      onConnectionLost: (error) => lost.push(error),
    });
    await sql`create schema standby`.execute(single);
    await sql`create function standby.pg_is_in_recovery() returns boolean language sql as 'select true'`.execute(
      single,
    );
    await sql`set search_path = standby, pg_catalog, public`.execute(single);
    await expect
      .poll(() => lost.map(({ message }) => message), { timeout: 20_000 })
      .toEqual(["The database server follows another one"]);
    expect(await one(single)).toBe(1);
    await single.destroy();
  }, 40_000);

  test("a connection whose server refuses writes is replaced", async () => {
    const single = connectDatabase(database.url, { maxConnections: 1 });
    await sql`set session characteristics as transaction read only`.execute(single);
    const write = () => sql`create temporary table written (n int)`.execute(single);
    const insert = () =>
      sql`insert into throttles select * from throttles where false`.execute(single);
    await expect(insert()).rejects.toMatchObject({ code: "25006" });
    await insert();
    await write();
    await single.destroy();
  });
});

describe("a kept connection", () => {
  test("a lost connection is back in its given time, whatever try hung and however often it failed", () => {
    for (const backWithinMs of [GONE_AFTER_MS, 30_000]) {
      const { answerMs, longestPauseMs } = paceOf(backWithinMs);
      for (const chance of [0, 1])
        for (let attempt = 0; attempt < 40; attempt += 1)
          expect(
            answerMs + pauseAfter({ attempt, longestPauseMs, chance }) + answerMs,
          ).toBeLessThanOrEqual(backWithinMs);
    }
  });
});

describe("prepared reads", () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new PreparingClient({ connectionString: database.url });
    await client.connect();
  });
  afterAll(() => client.end());

  async function preparedTexts(): Promise<string[]> {
    const { rows } = await client.query(
      "/* not named */ select statement from pg_prepared_statements order by prepare_time",
    );
    return rows.map((row: { statement: string }) => row.statement);
  }

  test("a read is named once for all its values, and each call gets its own answer", async () => {
    for (const value of [1, 2]) {
      const { rows } = await client.query("select $1::int as value", [value]);
      expect(rows).toEqual([{ value }]);
    }
    expect(
      (await preparedTexts()).filter((text) => text === "select $1::int as value"),
    ).toHaveLength(1);
  });

  test("the callback form is named as well", async () => {
    const value = await new Promise((resolve, reject) => {
      client.query(
        "select $1::text as value",
        ["é"],
        (error: Error | null, result: pg.QueryResult) =>
          error ? reject(error) : resolve(result.rows[0].value),
      );
    });
    expect(value).toBe("é");
  });

  test("several statements in one text, and other statements than reads and writes of rows, are not named", async () => {
    await client.query("select 1; select 2");
    await client.query("set statement_timeout = 0");
    const texts = await preparedTexts();
    expect(texts).not.toContain("select 1; select 2");
    expect(texts).not.toContain("set statement_timeout = 0");
  });

  test("a long list of values is not named: its many lengths would use up the names", async () => {
    const list = (length: number) =>
      Array.from({ length }, (_, index) => `$${index + 1}::int`).join(", ");
    const before = (await preparedTexts()).length;
    for (let length = 61; length <= 481; length += 1) {
      await client.query(
        `select ${list(length)}`,
        Array.from({ length }, () => 1),
      );
    }
    expect(await preparedTexts()).toHaveLength(before);
    await client.query("select $1::int as always", [1]);
    expect(await preparedTexts()).toContain("select $1::int as always");
  });

  test("beyond the bound of names queries still answer", async () => {
    for (let index = 0; index < 410; index += 1) await client.query(`select ${index} as value`);
    const { rows } = await client.query("select 409 as value");
    expect(rows).toEqual([{ value: 409 }]);
    expect((await preparedTexts()).length).toBeLessThanOrEqual(400);
  });
});

describe("queries of one transaction", () => {
  beforeAll(async () => {
    await sql`create table steps (number int primary key)`.execute(database.owner);
  });
  beforeEach(async () => {
    await sql`truncate steps`.execute(database.owner);
  });

  const add = (trx: Transaction, number: number) =>
    sql`insert into steps values (${number})`.execute(trx);
  const numbers = async () => {
    const { rows } = await sql<{
      number: number;
    }>`select number from steps order by number`.execute(database.db);
    return rows.map(({ number }) => number);
  };

  test("simultaneous queries of a transaction run in the order of asking, each with its own answer", async () => {
    const seen = await inTransaction(database.db, (trx) =>
      inParallel(
        [1, 2, 3, 4].map(async (number) => {
          const { rows } = await sql<{ highest: number | null }>`
          with added as (insert into steps values (${number})) select max(number) as highest from steps
        `.execute(trx);
          return rows[0]?.highest;
        }),
      ),
    );
    expect(seen).toEqual([null, 1, 2, 3]);
  });

  test("queries of different shapes keep their order", async () => {
    const [, , { rows }] = await inTransaction(database.db, (trx) =>
      inParallel([
        add(trx, 1),
        trx.selectFrom("users").select("id").executeTakeFirst(),
        sql<{ count: number }>`select count(*) as count from steps`.execute(trx),
      ]),
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test("the first failure is thrown, nothing is committed, and the connection serves again", async () => {
    await expect(
      inTransaction(database.db, (trx) => inParallel([add(trx, 1), add(trx, 1), add(trx, 2)])),
    ).rejects.toMatchObject({
      code: "23505",
    });
    expect(await numbers()).toEqual([]);
    await inTransaction(database.db, (trx) => inParallel([add(trx, 1), add(trx, 2)]));
    expect(await numbers()).toEqual([1, 2]);
  });

  test("an unhandled failure commits nothing", async () => {
    await expect(
      inTransaction(database.db, async (trx) => {
        await add(trx, 1);
        await Promise.allSettled([add(trx, 1), add(trx, 2)]);
      }),
    ).rejects.toThrow();
    expect(await numbers()).toEqual([]);
  });

  test("simultaneous transactions are independent", async () => {
    await Promise.all(
      [10, 20, 30, 40].map((tens) =>
        inTransaction(database.db, (trx) =>
          inParallel([1, 2, 3].map((unit) => add(trx, tens + unit))),
        ),
      ),
    );
    expect(await numbers()).toEqual([11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42, 43]);
  });

  test("nothing begun together is sent after the rollback", async () => {
    const slow = async (trx: Transaction) => {
      await add(trx, 7);
      await sleep(50);
      await add(trx, 8);
    };
    await expect(
      inTransaction(database.db, async (trx) => {
        await add(trx, 1);
        await inParallel([slow(trx), add(trx, 1)]);
      }),
    ).rejects.toMatchObject({ code: "23505" });
    await sleep(100);
    expect(await numbers()).toEqual([]);
  });
});

describe("a stale plan", () => {
  /** A transaction survives fewer conflicts. */
  const CONNECTIONS = 8;
  let db: Database;

  beforeAll(async () => {
    db = connectDatabase(database.url, { maxConnections: CONNECTIONS });
    await sql`create table counters (id int primary key, hits int not null)`.execute(
      database.owner,
    );
    await sql`insert into counters values (1, 0)`.execute(database.db);
  });
  afterAll(() => db.destroy());

  const read = (reader: Reader) =>
    sql`select * from counters`.execute(reader).then(({ rows }) => rows);
  const bump = (reader: Reader) =>
    sql`update counters set hits = hits + 1 where id = 1`.execute(reader);

  /** Prepares the read on every connection, then changes the table as a migration does. */
  async function migrate(column: string): Promise<void> {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, () =>
        db.transaction().execute(async (trx) => {
          await read(trx);
          await sql`select pg_sleep(0.2)`.execute(trx);
        }),
      ),
    );
    await sql`alter table counters add column ${sql.id(column)} int`.execute(database.owner);
  }

  test("a read with a stale plan runs again on another connection", async () => {
    await migrate("first");
    const rows = await Promise.all(Array.from({ length: 20 }, () => read(db)));
    for (const row of rows) expect(row).toEqual([{ id: 1, hits: 0, first: null }]);
  });

  test("a transaction with a stale plan runs again, on as many connections as needed, and commits once", async () => {
    await migrate("second");
    await inTransaction(db, async (trx) => {
      await bump(trx);
      await inParallel([read(trx), read(trx)]);
    });
    expect(await read(database.db)).toMatchObject([{ hits: 1 }]);
  });

  test("an unsupported statement is not retried", async () => {
    let runs = 0;
    const failing = inTransaction(db, async (trx) => {
      runs++;
      await sql`select xmlelement(name a, ${"b"}::text), unnest(array[1]) for update`.execute(trx);
    });
    await expect(failing).rejects.toMatchObject({ code: "0A000" });
    expect(runs).toBe(1);
  });
});

describe("listening", () => {
  let listening: Listening | null;
  const warned: string[] = [];
  const log = {
    info() {},
    warn: (_fields: object, message: string) => void warned.push(message),
    error() {},
  };

  beforeEach(async () => {
    listening = null;
  });
  afterEach(async () => {
    await listening?.close();
  });

  function listen(url: string) {
    const heard: string[] = [];
    let gaps = 0;
    const handlers = {
      onMessage: (payload: string) => void heard.push(payload),
      onGap: () => void gaps++,
    };
    listening = createListen({ url, log })("envelope_changed", handlers);
    return { listening, heard, gaps: () => gaps };
  }

  const say = (payload: string) =>
    sql`select pg_notify('envelope_changed', ${payload})`.execute(database.db);

  test("a listener receives messages once their transaction commits, and none of a rollback", async () => {
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

  test("a listener reconnects after a cut, and reports a gap", async () => {
    const { listening: line, heard, gaps } = listen(database.url);
    await line.arrives(5_000);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'paraphe-live' and datname = current_database()`.execute(
      database.owner,
    );
    await expect.poll(gaps, { timeout: 10_000 }).toBe(1);
    expect(warned).toContain("a kept connection was lost");
    await say("after");
    await expect.poll(() => heard).toEqual(["after"]);
  });

  test("a listener reports the database's absence, and closes even then", async () => {
    const { listening: line } = listen("postgres://paraphe@127.0.0.1:9/paraphe");
    expect(await line.arrives(300)).toBe(false);
    await line.close();
  });

  test("a closed listener releases its connection", async () => {
    const { listening: line } = listen(database.url);
    await line.arrives(5_000);
    await line.close();
    const open = sql<{
      count: number;
    }>`select count(*) from pg_stat_activity where application_name = 'paraphe-live' and datname = current_database()`;
    await expect.poll(async () => (await open.execute(database.db)).rows[0]?.count).toBe(0);
  });
});
