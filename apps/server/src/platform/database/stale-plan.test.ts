import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { connectDatabase, type Database, type Reader } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";
import { together } from "./together.ts";

/** More than the conflicts after which a transaction is given up. */
const CONNECTIONS = 8;

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.url, { maxConnections: CONNECTIONS });
  await sql`create table counters (id int primary key, hits int not null)`.execute(database.owner);
  await sql`insert into counters values (1, 0)`.execute(database.db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const read = (reader: Reader) => sql`select * from counters`.execute(reader).then(({ rows }) => rows);
const bump = (reader: Reader) => sql`update counters set hits = hits + 1 where id = 1`.execute(reader);

/** Every connection has the read prepared; then the table changes under them, as another process's migration does it. */
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

test("a read outside a transaction is asked again on another connection when its plan no longer holds", async () => {
  await migrate("first");
  const rows = await Promise.all(Array.from({ length: 20 }, () => read(db)));
  for (const row of rows) expect(row).toEqual([{ id: 1, hits: 0, first: null }]);
});

test("a transaction whose plan no longer holds runs again, on however many connections, and is committed once", async () => {
  await migrate("second");
  await inTransaction(db, async (trx) => {
    await bump(trx);
    await together([read(trx), read(trx)]);
  });
  expect(await read(database.db)).toMatchObject([{ hits: 1 }]);
});

test("what PostgreSQL does not support is not asked again", async () => {
  let runs = 0;
  const failing = inTransaction(db, async (trx) => {
    runs++;
    await sql`select xmlelement(name a, ${"b"}::text), unnest(array[1]) for update`.execute(trx);
  });
  await expect(failing).rejects.toMatchObject({ code: "0A000" });
  expect(runs).toBe(1);
});
