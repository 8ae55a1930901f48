import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { createChangeAnnouncer, EVERYTHING } from "./announce-changes.ts";
import { announceEverything } from "../open-platform.ts";
import { connectDatabase, type Database, type Reader, type Transaction } from "./database.ts";
import { generateSchema } from "../../../testing/generate-schema.ts";
import { inParallel, insertionOf, inTransaction, writeTogether } from "./in-transaction.ts";
import { sqlState } from "../error-code.ts";
import { createListen, type Listening } from "./lasting-connection.ts";
import { makePartitions, migrateDatabase } from "./migrate-database.ts";
import { prepareServiceRole, SERVICE_ROLE, serviceUrlOf } from "./service-role.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe("the schema", () => {
  test("the generated types match the migrated database (npm run db:types)", async () => {
    const kept = await readFile(new URL("./schema.generated.ts", import.meta.url), "utf8");
    expect(kept).toBe(await generateSchema(database.db));
  });
});

describe("a transaction", () => {
  beforeAll(async () => {
    await sql`create table counters (id int primary key, hits int not null)`.execute(
      database.owner,
    );
    await sql`insert into counters values (1, 0), (2, 0)`.execute(database.db);
  });

  const bump = (trx: Transaction, id: number) =>
    sql`update counters set hits = hits + 1 where id = ${id}`.execute(trx);

  test("a transaction commits all of its work or nothing", async () => {
    await inTransaction(database.db, (trx) => bump(trx, 1));
    const failing = inTransaction(database.db, async (trx) => {
      await bump(trx, 1);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    const { rows } = await sql<{ hits: number }>`select hits from counters where id = 1`.execute(
      database.db,
    );
    expect(rows).toEqual([{ hits: 1 }]);
  });

  test("a transaction ended for a deadlock runs again", async () => {
    const both = async (first: number, second: number) =>
      inTransaction(database.db, async (trx) => {
        await bump(trx, first);
        await sql`select pg_sleep(0.1)`.execute(trx);
        await bump(trx, second);
      });
    const before = await total();
    await Promise.all([both(1, 2), both(2, 1)]);
    expect(await total()).toBe(before + 4);
  });

  test("a transaction that lost a serialization conflict runs again", async () => {
    const before = await total();
    const add = () =>
      inTransaction(database.db, async (trx) => {
        await sql`set transaction isolation level serializable`.execute(trx);
        const { rows } = await sql<{
          hits: number;
        }>`select hits from counters where id = 1`.execute(trx);
        await sql`select pg_sleep(0.05)`.execute(trx);
        await sql`update counters set hits = ${(rows[0]?.hits ?? 0) + 1} where id = 1`.execute(trx);
      });
    await Promise.all([add(), add(), add()]);
    expect(await total()).toBe(before + 3);
  });

  test("a transaction whose deadlock broke a shared prepared statement runs again", async () => {
    let runs = 0;
    const outcome = inTransaction(database.db, async (trx) => {
      const isFirst = ++runs === 1;
      const answer = (number: number) => sql`select ${number}::int + 41 as answer`.execute(trx);
      const later = async () => {
        await sql`select 1`.execute(trx);
        return inParallel([answer(1), answer(2)]);
      };
      const deadlock = () =>
        sql`do $$ begin perform pg_sleep(0.05); raise exception 'x' using errcode = '40P01'; end $$`.execute(
          trx,
        );
      await inParallel([later(), ...(isFirst ? [deadlock()] : [])]);
      return "done";
    });
    expect(await outcome).toBe("done");
    expect(runs).toBe(2);
  });

  test("a transaction that failed for another reason does not run again", async () => {
    let runs = 0;
    const failing = inTransaction(database.db, async (trx) => {
      runs++;
      await sql`insert into counters values (1, 0)`.execute(trx);
    });
    await expect(failing).rejects.toSatisfy((error) => sqlState(error) === "23505");
    expect(runs).toBe(1);
  });

  test("counts are numbers, calendar dates text and bytes bytes", async () => {
    const { rows } =
      await sql`select 5000000000::bigint as size, '2026-02-29'::text as text, date '2024-02-29' as day, '\\x0102'::bytea as bytes`.execute(
        database.db,
      );
    expect(rows).toEqual([
      { size: 5_000_000_000, text: "2026-02-29", day: "2024-02-29", bytes: Buffer.from([1, 2]) },
    ]);
  });

  test("processes that start together migrate once", async () => {
    const name = `test_${process.pid}_migrated`;
    const empty = database.url.replace(/\/test_[^?]+/, `/${name}`);
    await sql`drop database if exists ${sql.id(name)}`.execute(database.owner);
    await sql`create database ${sql.id(name)}`.execute(database.owner);
    const connections = [connectDatabase(empty), connectDatabase(empty), connectDatabase(empty)];
    try {
      const runs = await Promise.all(connections.map((db) => migrateDatabase(db)));
      expect(runs.filter((names) => names.length > 0)).toHaveLength(1);
    } finally {
      for (const connection of connections) await connection.destroy();
      await sql`drop database ${sql.id(name)}`.execute(database.owner);
    }
  });

  async function total(): Promise<number> {
    const { rows } = await sql<{
      total: number;
    }>`select sum(hits)::int as total from counters`.execute(database.db);
    return rows[0]?.total ?? 0;
  }
});

describe("rows that are inserted", () => {
  const AT = new Date("2026-11-23T04:05:06.789Z");
  let number = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++number).padStart(12, "0")}`;
  const act = (over: object = {}) => ({
    id: newId(),
    envelope_id: newId(),
    recipient_id: newId(),
    user_id: null,
    method: "bulk",
    consent_version: "1",
    documents_sha256: new Uint8Array([0, 1, 254, 255]),
    content: { mark: 'é"\\', values: [1, null] },
    ip_address: "192.0.2.1",
    user_agent: null,
    signed_at: AT,
    sealed_at: AT,
    ...over,
  });
  /** Works without foreign key checks. */
  const alone = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    database.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      return work(trx);
    });

  test("each kind of value is inserted unchanged, and an absent one as its default", async () => {
    const given = [act(), act({ content: null, consent_version: "a\ud800b", sealed_at: null })];
    const rows = await alone(async (trx) => {
      await writeTogether(trx, [insertionOf({ into: "signing_acts" }, given)]);
      return trx
        .selectFrom("signing_acts")
        .select([
          "consent_version",
          "documents_sha256",
          "content",
          "ip_address",
          "user_agent",
          "signed_at",
          "sealed_at",
          "failed_tries",
        ])
        .orderBy("sealed_at")
        .execute();
    });
    const shared = {
      documents_sha256: Buffer.from([0, 1, 254, 255]),
      ip_address: "192.0.2.1",
      user_agent: null,
      signed_at: AT,
      failed_tries: 0,
    };
    expect(rows).toEqual([
      {
        ...shared,
        consent_version: "1",
        content: { mark: 'é"\\', values: [1, null] },
        sealed_at: AT,
      },
      { ...shared, consent_version: "a\ufffdb", content: null, sealed_at: null },
    ]);
  });

  test("the statement is the same for any number of rows, and nothing is sent for none", async () => {
    const texts: unknown[] = [];
    for (const count of [1, 0, 3])
      await alone(async (trx) => {
        const watched = trx.withPlugin({
          transformQuery: ({ node, queryId: _ }) => {
            texts.push(trx.getExecutor().compileQuery(node, _).sql);
            return node;
          },
          transformResult: async ({ result }) => result,
        });
        const acts = Array.from({ length: count }, () => act());
        await writeTogether(watched, [insertionOf({ into: "signing_acts" }, acts)]);
      });
    expect(texts).toHaveLength(2);
    expect(texts[0]).toBe(texts[1]);
  });
});

describe("changes", () => {
  const log = { info() {}, warn() {}, error() {} };
  let db: Database;
  let listening: Listening;
  let heard: string[] = [];
  beforeAll(async () => {
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
  });

  const change = (reader: Reader, what: string) => sql`select tell_change(${what})`.execute(reader);
  /** Waits until everything committed before was heard. */
  async function settled(): Promise<string[]> {
    await change(db, "last");
    await expect.poll(() => heard).toContain("last");
    return heard.filter((message) => message !== "last");
  }

  test("a change is announced once, after its commit", async () => {
    await db.transaction().execute(async (trx) => {
      for (const what of ["a", "b", "a"]) await change(trx, what);
      await sleep(80);
      expect(heard).toEqual([]);
    });
    expect((await settled()).toSorted()).toEqual(["a", "b"]);
  });

  test("nothing is announced of a rollback, by its work or by a failed statement", async () => {
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
    await expect(sql`select tell_change('c'), 1 / (random() * 0)::int`.execute(db)).rejects.toThrow(
      "division by zero",
    );
    // The same connections serve again.
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

  test("a message on another channel goes there after the commit", async () => {
    const jobs: string[] = [];
    const other = createListen({ url: database.url, log })("jobs" as never, {
      onMessage: (job) => void jobs.push(job),
      onGap() {},
    });
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

  test("nothing is announced while nobody listens; a listener that ended without a word is forgotten", async () => {
    const other = await createTestDatabase();
    const count = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from listeners`.execute(other.db)).rows[0]
        ?.n;
    const calls = async () =>
      (
        await sql<{ calls: number }>`select count(*)::int as calls from pg_stat_activity
          where datname = current_database() and query like '%pg_notify%' and pid <> pg_backend_pid()`.execute(
          other.owner,
        )
      ).rows[0]?.calls;
    await change(other.db, "a");
    await sleep(100);
    expect([await count(), await calls()]).toEqual([0, 0]);
    await sql`insert into listeners values (1, now())`.execute(other.db);
    const handlers = { onMessage: () => {}, onGap() {} };
    const first = createListen({ url: other.url, log })("envelope_changed", handlers);
    expect(await first.arrives(5_000)).toBe(true);
    expect(await count()).toBe(1);
    await first.close();
    expect(await count()).toBe(0);
    // Messages have their own channel, which wakes their senders.
    const others = createListen({ url: other.url, log })("notices", handlers);
    expect([await others.arrives(5_000), await count()]).toEqual([true, 0]);
    await others.close();
    await other.drop();
  });

  test("a listener is there once those who may not have seen it have committed", async () => {
    const { promise: isHeard, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const working = db.transaction().execute(async (trx) => {
      await sql`select pg_current_xact_id()`.execute(trx);
      begin();
      await isHeard;
    });
    await begun;
    const handlers = { onMessage: () => {}, onGap() {} };
    const late = createListen({ url: database.url, log })("envelope_changed", handlers);
    expect(await late.arrives(500)).toBe(false);
    goOn();
    await working;
    expect(await late.arrives(3_000)).toBe(true);
    await late.close();
  });

  test("a database setting that hides notices hides no change", async () => {
    await db.transaction().execute(async (trx) => {
      await sql`set local client_min_messages = error`.execute(trx);
      await change(trx, "a");
    });
    expect(await settled()).toEqual(["a"]);
  });

  test("a transaction that changes an envelope does not NOTIFY, and so delays no commit", async () => {
    const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc where prosrc ilike '%notify%' and pronamespace = 'public'::regnamespace`.execute(
      db,
    );
    expect(rows).toEqual([]);
  });

  test("pending announcements leave before the pool ends; a starting process announces everything", async () => {
    const leaving = connectDatabase(database.url, { maxConnections: 1 });
    await change(leaving, "a");
    await leaving.destroy();
    await expect.poll(() => heard).toEqual(["a"]);
    await announceEverything(db);
    await expect.poll(() => heard).toEqual(["a", EVERYTHING]);
  });

  test("commits during the pool's end are announced as well", async () => {
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

  test("a change whose commit was cut off is announced, since it may have happened", async () => {
    const cut = db.transaction().execute(async (trx) => {
      await change(trx, "a");
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.owner);
      await sql`select 1`.execute(trx);
    });
    await expect(cut).rejects.toThrow();
    expect(await settled()).toEqual(["a"]);
  });

  test("simultaneous changes share one announcement; failed ones are repeated, too many become everything", async () => {
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
});

describe("the service's role", () => {
  const run = (statement: string) => sql.raw(statement).execute(database.db);
  const EVENT = `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values (gen_random_uuid(), 1, now(), 'system', 'x', '{}', '\\x00')`;

  describe("the service's connections", () => {
    test("the service acts as a role that owns no table", async () => {
      const { rows } = await sql<{ role: string; owned: number }>`
      select current_user as role, (select count(*)::int from pg_class where relowner = current_user::regrole) as owned`.execute(
        database.db,
      );
      expect(rows).toEqual([{ role: SERVICE_ROLE, owned: 0 }]);
    });

    test("the service writes insert-only tables, and may note a head", async () => {
      await run(EVENT);
      expect((await run("select count(*)::int as due from transparency_due")).rows).toEqual([
        { due: 1 },
      ]);
    });

    test.each([
      "audit_events",
      "transparency_leaves",
      "transparency_nodes",
      "transparency_checkpoints",
    ])("the service can neither change nor empty %s, nor remove its trigger", async (table) => {
      const column =
        table === "audit_events"
          ? "hash"
          : table === "transparency_leaves"
            ? "head"
            : table === "transparency_nodes"
              ? "hash"
              : "root";
      for (const [statement, refusal] of [
        [`update ${table} set ${column} = '\\x00'`, "permission denied"],
        [`delete from ${table}`, "permission denied"],
        [`truncate ${table} cascade`, "permission denied"],
        [`select from ${table} for update`, "permission denied"],
        [`alter table ${table} disable trigger all`, "must be owner"],
        [`drop trigger ${table}_insert_only on ${table}`, "must be owner"],
        [`drop table ${table} cascade`, "must be owner"],
        ["set session_replication_role = replica", "permission denied"],
        [
          "create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'",
          "must be owner|permission denied",
        ],
      ] as const) {
        await expect(run(statement)).rejects.toThrow(new RegExp(refusal));
      }
    });

    test.each([
      "reset role",
      "set role none",
      "select set_config('role', 'none', false)",
      "reset session authorization",
      "set role paraphe",
      "set session authorization paraphe",
    ])("the service's connections stay that role despite: %s", async (statement) => {
      const after = await database.db.connection().execute(async (connection) => {
        await sql
          .raw(statement)
          .execute(connection)
          .catch((error: Error) => expect(error.message).toContain("permission denied"));
        const { rows } = await sql<{ role: string }>`select current_user as role`.execute(
          connection,
        );
        await expect(
          sql.raw("update audit_events set hash = ''").execute(connection),
        ).rejects.toThrow("permission denied");
        return rows;
      });
      expect(after).toEqual([{ role: SERVICE_ROLE }]);
    });

    test("the service may erase personal data of an event, not change it", async () => {
      await expect(run("update audit_details set value = '1'")).rejects.toThrow(
        "permission denied",
      );
      await run("delete from audit_details");
    });

    test("the service has the tables that the owner makes later, in any schema", async () => {
      await sql
        .raw(
          "create schema elsewhere; create table elsewhere.things (id int generated always as identity)",
        )
        .execute(database.owner);
      await run("insert into elsewhere.things default values");
      expect((await run("delete from elsewhere.things returning id")).rows).toEqual([{ id: 1 }]);
    });
  });

  describe("making the role", () => {
    test("the role is prepared once, and again where a table lost its grants", async () => {
      expect(await prepareServiceRole(database.owner, { login: serviceUrlOf(database.url) })).toBe(
        true,
      );
      await sql
        .raw(
          `revoke all on users from ${SERVICE_ROLE}; grant update on audit_events to ${SERVICE_ROLE}`,
        )
        .execute(database.owner);
      await expect(run("select count(*) from users")).rejects.toThrow("permission denied");
      expect(await prepareServiceRole(database.owner, { login: serviceUrlOf(database.url) })).toBe(
        true,
      );
      await run("select count(*) from users");
      await expect(run("update audit_events set action = 'x'")).rejects.toThrow(
        "permission denied",
      );
    });

    test("an owner without the right to make the role leaves everything as it was", async () => {
      const name = `plain_${process.pid}`;
      await sql
        .raw(
          `create role ${name} login password 'x'; grant usage, create on schema public to ${name}`,
        )
        .execute(database.owner);
      const url = Object.assign(new URL(database.url), { username: name, password: "x" });
      const plain = connectDatabase(url.href, { maxConnections: 1 });
      try {
        expect(await prepareServiceRole(plain, { login: null })).toBe(false);
        expect((await sql`select current_user as name`.execute(plain)).rows).toEqual([{ name }]);
      } finally {
        await plain.destroy();
        await sql
          .raw(`revoke all on schema public from ${name}; drop role ${name}`)
          .execute(database.owner);
      }
    });

    test("a connection that may not take the role serves nobody", async () => {
      const db = connectDatabase(database.url, { maxConnections: 1, role: "nobody_of_that_name" });
      await expect(sql`select 1`.execute(db)).rejects.toThrow(
        'role "nobody_of_that_name" does not exist',
      );
      await db.destroy();
    });
  });
});

describe("tables of years", () => {
  const idOf = (year: number, n: number) => {
    const ms = Date.UTC(year, 5, 1).toString(16).padStart(12, "0");
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${String(n).padStart(12, "0")}`;
  };
  const YEAR = new Date().getUTCFullYear();
  const placeOf = async (table: string, key: string, id: string) => {
    const { rows } = await sql<{ place: string }>`
      select tableoid::regclass::text as place from ${sql.table(table)} where ${sql.ref(key)} = ${id}::uuid`.execute(
      database.owner,
    );
    return rows.map(({ place }) => place);
  };
  const writeEvent = (id: string) =>
    sql`insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values (${id}, 1, now(), 'system', 'x', '{}', '\\x00')`.execute(
      database.db,
    );
  const writeNotice = (id: string, key: string) =>
    sql`insert into notices (id, dedupe_key, kind, channel, destination, message_id, state, created_at)
      values (${id}, ${key}, 'completed', 'email', 'a@exemple.fr', 'm', 'queued', now()) returning id`
      .execute(database.db)
      .then(({ rows }) => rows.length);

  test("each journal is whole in its envelope's year, made a year ahead", async () => {
    for (const year of [YEAR, YEAR + 1]) {
      await writeEvent(idOf(year, 1));
      expect(await placeOf("audit_events", "envelope_id", idOf(year, 1))).toEqual([
        `audit_events_${year}`,
      ]);
    }
  });

  test("a detail is of an event of the same number, in whatever year, in its transaction or before", async () => {
    const id = idOf(YEAR + 1, 7);
    const detailOf = (sequence: number, table = "audit_details") =>
      sql`insert into ${sql.table(table)} values (${id}, ${sequence}, 'ip', decode(repeat('00', 16), 'hex'), '"x"')`;
    const refused = { code: "23503", message: "a detail is of an event that exists" };
    await expect(detailOf(1).execute(database.db)).rejects.toMatchObject(refused);
    await writeEvent(id);
    await expect(detailOf(2).execute(database.db)).rejects.toMatchObject(refused);
    await expect(detailOf(2).execute(database.owner)).rejects.toMatchObject(refused);
    await detailOf(1).execute(database.db);
    await expect(
      sql`with added as (
        insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash)
        values (${id}, 3, now(), 'system', 'x', '{}', '\\x00'))
        ${detailOf(2)}`.execute(database.db),
    ).rejects.toMatchObject(refused);
    await sql`with added as (
      insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash)
      values (${id}, 2, now(), 'system', 'x', '{}', '\\x00'))
      ${detailOf(2)}`.execute(database.db);
  });

  test("partitions are written through the whole table only: the service may not, the owner is refused", async () => {
    for (const table of ["audit_events", "audit_details"])
      for (const part of [`${table}_${YEAR}`, `${table}_default`])
        for (const statement of [
          `insert into ${part} select * from ${part} limit 0`,
          `update ${part} set sequence = 2`,
          `delete from ${part}`,
        ]) {
          await expect(sql.raw(statement).execute(database.db), statement).rejects.toThrow(
            "permission denied",
          );
          await expect(sql.raw(statement).execute(database.owner), statement).rejects.toThrow(
            "takes inserts only",
          );
        }
    await expect(sql.raw(`delete from notices_${YEAR}`).execute(database.db)).rejects.toThrow(
      "permission denied",
    );
  });

  test("a year is taken out as one piece, and put back, as docs/operations/scaling.md says", async () => {
    const guide = await readFile(
      new URL("../../../../../docs/operations/scaling.md", import.meta.url),
      "utf8",
    );
    const out = /```sql\n(alter table audit_details detach[^`]+)```/.exec(guide)?.[1] ?? "";
    const back = /`(alter table audit_events attach [^`]+)`/.exec(guide)?.[1] ?? "";
    const year = YEAR + 1;
    const dated = (text: string) =>
      text.replaceAll("2028", String(year + 1)).replaceAll("2027", String(year));
    const id = idOf(year, 9);
    await writeEvent(id);
    const known = sql<{
      count: number;
    }>`select count(*)::int as count from audit_events where envelope_id = ${id}`;
    await sql`insert into audit_details values (${id}, 1, 'ip', decode(repeat('00', 16), 'hex'), '"x"')`.execute(
      database.db,
    );
    await sql.raw(dated(out)).execute(database.owner);
    expect((await known.execute(database.db)).rows).toEqual([{ count: 0 }]);
    for (const table of ["audit_events", "audit_details"])
      await sql.raw(dated(back).replaceAll("audit_events", table)).execute(database.owner);
    expect((await known.execute(database.db)).rows).toEqual([{ count: 1 }]);
    await sql.raw(dated(back).replaceAll("audit_events", "notices")).execute(database.owner);
  });

  test("a missing year blocks no writes, and the job makes it where nothing stands in its place", async () => {
    const [journal, message] = [idOf(YEAR + 1, 2), idOf(YEAR + 1, 3)];
    for (const table of ["audit_details", "audit_events", "notices"])
      await sql
        .raw(
          `alter table ${table} detach partition ${table}_${YEAR + 1}; drop table ${table}_${YEAR + 1}`,
        )
        .execute(database.owner);
    await writeEvent(journal);
    expect(await writeNotice(message, "missing")).toBe(1);
    expect(await placeOf("audit_events", "envelope_id", journal)).toEqual(["audit_events_default"]);
    expect(await placeOf("notices", "id", message)).toEqual(["notices_default"]);
    await sql`delete from notices where id = ${message}`.execute(database.db);
    await makePartitions(database.db);
    await makePartitions(database.db);
    expect(await writeNotice(message, "missing")).toBe(1);
    expect(await placeOf("notices", "id", message)).toEqual([`notices_${YEAR + 1}`]);
    expect(await placeOf("audit_events", "envelope_id", journal)).toEqual(["audit_events_default"]);
    await expect(sql.raw(`delete from notices_${YEAR + 1}`).execute(database.db)).rejects.toThrow(
      "permission denied",
    );
  });

  test("a message exists once for its key, in whatever year it is requested again", async () => {
    expect(await writeNotice(idOf(YEAR, 4), "once")).toBe(1);
    expect(await writeNotice(idOf(YEAR + 1, 4), "once")).toBe(0);
    await sql`update notices set dedupe_key = 'other' where dedupe_key = 'once'`.execute(
      database.db,
    );
    expect(await writeNotice(idOf(YEAR + 1, 5), "other")).toBe(0);
    expect(await writeNotice(idOf(YEAR + 1, 5), "once")).toBe(1);
    await sql`delete from notices where dedupe_key = 'other'`.execute(database.db);
    expect(await writeNotice(idOf(YEAR + 1, 6), "other")).toBe(1);
    await expect(
      sql`update notices set dedupe_key = 'other' where dedupe_key = 'once'`.execute(database.db),
    ).rejects.toMatchObject({
      code: "23505",
    });
  });
});
