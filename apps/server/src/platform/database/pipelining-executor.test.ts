import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import type { Transaction } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";
import { together } from "./together.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await sql`create table steps (number int primary key)`.execute(database.owner);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate steps`.execute(database.owner);
});

const add = (trx: Transaction, number: number) => sql`insert into steps values (${number})`.execute(trx);
const numbers = async () => {
  const { rows } = await sql<{ number: number }>`select number from steps order by number`.execute(database.db);
  return rows.map(({ number }) => number);
};

test("queries of a transaction asked for together run in the order they were asked for, each with its own answer", async () => {
  const seen = await inTransaction(database.db, (trx) =>
    together(
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

test("queries of different shapes keep their order too", async () => {
  const [, , { rows }] = await inTransaction(database.db, (trx) =>
    together([
      add(trx, 1),
      trx.selectFrom("users").select("id").executeTakeFirst(),
      sql<{ count: number }>`select count(*) as count from steps`.execute(trx),
    ]),
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test("the first failure is what is thrown, nothing is committed, and the connection serves again", async () => {
  await expect(inTransaction(database.db, (trx) => together([add(trx, 1), add(trx, 1), add(trx, 2)]))).rejects.toMatchObject({
    code: "23505",
  });
  expect(await numbers()).toEqual([]);
  await inTransaction(database.db, (trx) => together([add(trx, 1), add(trx, 2)]));
  expect(await numbers()).toEqual([1, 2]);
});

test("a failure that nobody caught commits nothing", async () => {
  await expect(
    inTransaction(database.db, async (trx) => {
      await add(trx, 1);
      await Promise.allSettled([add(trx, 1), add(trx, 2)]);
    }),
  ).rejects.toThrow();
  expect(await numbers()).toEqual([]);
});

test("transactions at the same moment do not meet", async () => {
  await Promise.all(
    [10, 20, 30, 40].map((tens) => inTransaction(database.db, (trx) => together([1, 2, 3].map((unit) => add(trx, tens + unit))))),
  );
  expect(await numbers()).toEqual([11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42, 43]);
});

test("nothing of what was begun together is sent once the transaction has gone back", async () => {
  const slow = async (trx: Transaction) => {
    await add(trx, 7);
    await sleep(50);
    await add(trx, 8);
  };
  await expect(
    inTransaction(database.db, async (trx) => {
      await add(trx, 1);
      await together([slow(trx), add(trx, 1)]);
    }),
  ).rejects.toMatchObject({ code: "23505" });
  await sleep(100);
  expect(await numbers()).toEqual([]);
});
