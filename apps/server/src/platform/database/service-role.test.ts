import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { connectDatabase } from "./database.ts";
import { prepareServiceRole, SERVICE_ROLE } from "./service-role.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const run = (statement: string) => sql.raw(statement).execute(database.db);
const EVENT = `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values (gen_random_uuid(), 1, now(), 'system', 'x', '{}', '\\x00')`;

describe("the service's connections", () => {
  test("act as a role that owns no table", async () => {
    const { rows } = await sql<{ role: string; owned: number }>`
      select current_user as role, (select count(*)::int from pg_class where relowner = current_user::regrole) as owned`.execute(
      database.db,
    );
    expect(rows).toEqual([{ role: SERVICE_ROLE, owned: 0 }]);
  });

  test("write what takes inserts only, and may note a head", async () => {
    await run(EVENT);
    expect((await run("select count(*)::int as due from transparency_due")).rows).toEqual([{ due: 1 }]);
  });

  test.each(["audit_events", "transparency_leaves", "transparency_nodes", "transparency_checkpoints"])(
    "can neither change, empty nor free %s of its trigger",
    async (table) => {
      const column =
        table === "audit_events" ? "hash" : table === "transparency_leaves" ? "head" : table === "transparency_nodes" ? "hash" : "root";
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
    },
  );

  test.each([
    "reset role",
    "set role none",
    "select set_config('role', 'none', false)",
    "reset session authorization",
    "set role paraphe",
    "set session authorization paraphe",
  ])("stay that role whatever they ask: %s", async (statement) => {
    const after = await database.db.connection().execute(async (connection) => {
      await sql
        .raw(statement)
        .execute(connection)
        .catch((error: Error) => expect(error.message).toContain("permission denied"));
      const { rows } = await sql<{ role: string }>`select current_user as role`.execute(connection);
      await expect(sql.raw("update audit_events set hash = ''").execute(connection)).rejects.toThrow("permission denied");
      return rows;
    });
    expect(after).toEqual([{ role: SERVICE_ROLE }]);
  });

  test("may erase what is said of somebody, not change it", async () => {
    await expect(run("update audit_details set value = '1'")).rejects.toThrow("permission denied");
    await run("delete from audit_details");
  });

  test("have the tables that the owner makes later, in any schema", async () => {
    await sql.raw("create schema elsewhere; create table elsewhere.things (id int generated always as identity)").execute(database.owner);
    await run("insert into elsewhere.things default values");
    expect((await run("delete from elsewhere.things returning id")).rows).toEqual([{ id: 1 }]);
  });
});

describe("making the role", () => {
  test("is done once, and again where a table lost its grants", async () => {
    expect(await prepareServiceRole(database.owner, { login: true })).toBe(true);
    await sql.raw(`revoke all on users from ${SERVICE_ROLE}; grant update on audit_events to ${SERVICE_ROLE}`).execute(database.owner);
    await expect(run("select count(*) from users")).rejects.toThrow("permission denied");
    expect(await prepareServiceRole(database.owner, { login: true })).toBe(true);
    await run("select count(*) from users");
    await expect(run("update audit_events set action = 'x'")).rejects.toThrow("permission denied");
  });

  test("is given up by an owner who may not, and leaves everything as it was", async () => {
    const name = `plain_${process.pid}`;
    await sql.raw(`create role ${name} login; grant usage, create on schema public to ${name}`).execute(database.owner);
    const plain = connectDatabase(database.url.replace("paraphe@", `${name}@`), { maxConnections: 1 });
    try {
      expect(await prepareServiceRole(plain, { login: false })).toBe(false);
      expect((await sql`select current_user as name`.execute(plain)).rows).toEqual([{ name }]);
    } finally {
      await plain.destroy();
      await sql.raw(`revoke all on schema public from ${name}; drop role ${name}`).execute(database.owner);
    }
  });

  test("is asked of no connection that may not act as it: it serves nobody", async () => {
    const db = connectDatabase(database.url, { maxConnections: 1, role: "nobody_of_that_name" });
    await expect(sql`select 1`.execute(db)).rejects.toThrow('role "nobody_of_that_name" does not exist');
    await db.destroy();
  });
});
