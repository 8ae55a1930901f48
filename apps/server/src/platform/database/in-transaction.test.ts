import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { connectDatabase, type Transaction } from "./database.ts";
import { inTransaction, sqlState } from "./in-transaction.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { together } from "./together.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await sql`create table counters (id int primary key, hits int not null)`.execute(database.owner);
  await sql`insert into counters values (1, 0), (2, 0)`.execute(database.db);
});
afterAll(() => database.drop());

const bump = (trx: Transaction, id: number) => sql`update counters set hits = hits + 1 where id = ${id}`.execute(trx);

test("commits the work, or nothing of it", async () => {
  await inTransaction(database.db, (trx) => bump(trx, 1));
  const failing = inTransaction(database.db, async (trx) => {
    await bump(trx, 1);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  const { rows } = await sql<{ hits: number }>`select hits from counters where id = 1`.execute(database.db);
  expect(rows).toEqual([{ hits: 1 }]);
});

test("runs again the one of two transactions that PostgreSQL ended for a deadlock", async () => {
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

test("runs again a transaction that lost to a concurrent one", async () => {
  const before = await total();
  const add = () =>
    inTransaction(database.db, async (trx) => {
      await sql`set transaction isolation level serializable`.execute(trx);
      const { rows } = await sql<{ hits: number }>`select hits from counters where id = 1`.execute(trx);
      await sql`select pg_sleep(0.05)`.execute(trx);
      await sql`update counters set hits = ${(rows[0]?.hits ?? 0) + 1} where id = 1`.execute(trx);
    });
  await Promise.all([add(), add(), add()]);
  expect(await total()).toBe(before + 3);
});

test("runs again a transaction whose deadlock broke a statement prepared for two calls", async () => {
  let runs = 0;
  const outcome = inTransaction(database.db, async (trx) => {
    const isFirst = ++runs === 1;
    const answer = (number: number) => sql`select ${number}::int + 41 as answer`.execute(trx);
    const later = async () => {
      await sql`select 1`.execute(trx);
      return together([answer(1), answer(2)]);
    };
    const deadlock = () => sql`do $$ begin perform pg_sleep(0.05); raise exception 'x' using errcode = '40P01'; end $$`.execute(trx);
    await together([later(), ...(isFirst ? [deadlock()] : [])]);
    return "done";
  });
  expect(await outcome).toBe("done");
  expect(runs).toBe(2);
});

test("does not run again what failed for another reason", async () => {
  let runs = 0;
  const failing = inTransaction(database.db, async (trx) => {
    runs++;
    await sql`insert into counters values (1, 0)`.execute(trx);
  });
  await expect(failing).rejects.toSatisfy((error) => sqlState(error) === "23505");
  expect(runs).toBe(1);
});

test("gives counts as numbers, calendar dates as text and bytes as bytes", async () => {
  const { rows } =
    await sql`select 5000000000::bigint as size, '2026-02-29'::text as text, date '2024-02-29' as day, '\\x0102'::bytea as bytes`.execute(
      database.db,
    );
  expect(rows).toEqual([{ size: 5_000_000_000, text: "2026-02-29", day: "2024-02-29", bytes: Buffer.from([1, 2]) }]);
});

test("migrates once when several processes start together", async () => {
  const name = `test_${process.pid}_migrated`;
  const empty = database.url.replace(/\/test_[^?]+/, `/${name}`);
  await sql`drop database if exists ${sql.id(name)}`.execute(database.owner);
  await sql`create database ${sql.id(name)}`.execute(database.owner);
  const connections = [connectDatabase(empty), connectDatabase(empty), connectDatabase(empty)];
  try {
    const runs = await Promise.all(connections.map(migrateDatabase));
    expect(runs.filter((names) => names.length > 0)).toHaveLength(1);
  } finally {
    for (const connection of connections) await connection.destroy();
    await sql`drop database ${sql.id(name)}`.execute(database.owner);
  }
});

async function total(): Promise<number> {
  const { rows } = await sql<{ total: number }>`select sum(hits)::int as total from counters`.execute(database.db);
  return rows[0]?.total ?? 0;
}
