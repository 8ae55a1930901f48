import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { PreparingClient } from "./preparing-client.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new PreparingClient({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function preparedTexts(): Promise<string[]> {
  const { rows } = await client.query("/* not named */ select statement from pg_prepared_statements order by prepare_time");
  return rows.map((row: { statement: string }) => row.statement);
}

test("names a read once, whatever its values, and answers each call with its own", async () => {
  for (const value of [1, 2]) {
    const { rows } = await client.query("select $1::int as value", [value]);
    expect(rows).toEqual([{ value }]);
  }
  expect((await preparedTexts()).filter((text) => text === "select $1::int as value")).toHaveLength(1);
});

test("serves the callback form as well", async () => {
  const value = await new Promise((resolve, reject) => {
    client.query("select $1::text as value", ["é"], (error: Error | null, result: pg.QueryResult) =>
      error ? reject(error) : resolve(result.rows[0].value),
    );
  });
  expect(value).toBe("é");
});

test("leaves several statements in one text, and what is not a read or a write of rows, unnamed", async () => {
  await client.query("select 1; select 2");
  await client.query("set statement_timeout = 0");
  const texts = await preparedTexts();
  expect(texts).not.toContain("select 1; select 2");
  expect(texts).not.toContain("set statement_timeout = 0");
});

test("leaves a long list of values unnamed: its many lengths take no names from the queries asked always", async () => {
  const list = (length: number) => Array.from({ length }, (_, index) => `$${index + 1}::int`).join(", ");
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

test("stops naming at its bound, and still answers", async () => {
  for (let index = 0; index < 410; index += 1) await client.query(`select ${index} as value`);
  const { rows } = await client.query("select 409 as value");
  expect(rows).toEqual([{ value: 409 }]);
  expect((await preparedTexts()).length).toBeLessThanOrEqual(400);
});
