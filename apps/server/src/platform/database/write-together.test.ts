import pg from "pg";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { build, type Write, type WriteStep, writeTogether, insertionOf } from "./in-transaction.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const at = new Date("2026-11-28T05:00:00.000Z");
const failuresOf = (key: string, failures: number) =>
  insertionOf({ into: "login_failures" }, [{ key, failures, window_start: at }]);
const triesOf = (byte: number) =>
  insertionOf({ into: "address_tries" }, [
    { address_hmac: new Uint8Array(32).fill(byte), last_try_at: at },
  ]);
const addedTo = (key: string): Write => ({
  into: ["login_failures"],
  statement: build
    .updateTable("login_failures")
    .set({ failures: sql`failures + 1` })
    .where("key", "=", key),
});

/** Counts the statements that these writes become. */
async function written(writes: readonly WriteStep[]): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, "query");
  try {
    await database.db.transaction().execute((trx) => writeTogether(trx, writes));
    return query.mock.calls.length - 2;
  } finally {
    query.mockRestore();
  }
}

const failuresIn = async (key: string) =>
  (
    await database.db
      .selectFrom("login_failures")
      .select("failures")
      .where("key", "=", key)
      .executeTakeFirst()
  )?.failures;

it("writes to different tables are one statement", async () => {
  expect(await written([failuresOf("one", 1), null, triesOf(1)])).toBe(1);
  expect(await failuresIn("one")).toBe(1);
  const { rows } = await sql`select from address_tries`.execute(database.owner);
  expect(rows).toHaveLength(1);
});

it("two updates of one row are both kept, in statements of their own", async () => {
  expect(await written([failuresOf("two", 0), addedTo("two"), triesOf(2), addedTo("two")])).toBe(3);
  expect(await failuresIn("two")).toBe(2);
});

it("work with statements of its own keeps its place between the writes", async () => {
  const seen: (number | undefined)[] = [];
  await database.db.transaction().execute((trx) =>
    writeTogether(trx, [
      failuresOf("three", 5),
      async () => {
        const row = await trx
          .selectFrom("login_failures")
          .select("failures")
          .where("key", "=", "three")
          .executeTakeFirst();
        seen.push(row?.failures);
      },
      addedTo("three"),
    ]),
  );
  expect(seen).toEqual([5]);
  expect(await failuresIn("three")).toBe(6);
});

it("a failing part writes nothing of its statement", async () => {
  await written([failuresOf("four", 1)]);
  await expect(written([triesOf(4), failuresOf("four", 1)])).rejects.toThrow(/duplicate key/);
  const { rows } = await sql`select from address_tries
    where address_hmac = ${new Uint8Array(32).fill(4)}`.execute(database.owner);
  expect(rows).toHaveLength(0);
});

it("a write reads what it returned, and fails the transaction with what it throws", async () => {
  const read: unknown[] = [];
  const counted = (key: string, answer: (rows: readonly unknown[]) => void): Write => ({
    into: ["login_failures"],
    statement: sql`update login_failures set failures = failures + 1 where key = ${key} returning key, failures`,
    read: answer,
  });
  await written([failuresOf("five", 1)]);
  expect(await written([counted("five", (rows) => void read.push(...rows)), triesOf(5)])).toBe(1);
  expect(await written([triesOf(6), counted("nobody", (rows) => void read.push(rows))])).toBe(1);
  expect(read).toEqual([{ key: "five", failures: 2 }, []]);
  const refusing = counted("five", () => {
    throw new Error("not as expected");
  });
  await expect(written([refusing, triesOf(7)])).rejects.toThrow("not as expected");
  expect(await failuresIn("five")).toBe(2);
});

it("rows that no earlier write concerns are added in the same statement, and not touched by it", async () => {
  const all: Write = {
    into: ["login_failures"],
    statement: build.updateTable("login_failures").set({ failures: 9 }),
  };
  const added = failuresOf("six", 1);
  expect(await written([all, added && { ...added, adds: true }])).toBe(1);
  expect([await failuresIn("six"), await failuresIn("five")]).toEqual([1, 9]);
});
