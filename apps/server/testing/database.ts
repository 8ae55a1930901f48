import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { type Database, connectDatabase } from "../src/platform/database/database.ts";
import { SERVICE_ROLE, serviceUrlOf } from "../src/platform/database/service-role.ts";
import { TEMPLATE_DATABASE, joinTestPostgres, withAdministrator } from "./postgres.ts";

export type TestDatabase = {
  /** Connects as the service does. */
  readonly db: Database;
  /** Connects as the tables' owner, a superuser. */
  readonly owner: Database;
  readonly url: string;
  drop(): Promise<void>;
};

/** Joined once per process. */
let joined: ReturnType<typeof joinTestPostgres> | null = null;

/** A migrated database of its own, copied from the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  joined ??= joinTestPostgres();
  const server = await joined;
  const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
  await withAdministrator(server.urlOf("postgres"), async (client) => {
    // The default, through the write-ahead log, costs several times the CPU.
    await client.query(`create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`);
  });
  const url = server.urlOf(name);
  const db = connectDatabase(serviceUrlOf(url), { maxConnections: 10, role: SERVICE_ROLE });
  const owner = connectDatabase(url, { maxConnections: 2 });
  return {
    db,
    owner,
    url,
    async drop() {
      await db.destroy();
      await owner.destroy();
      await withAdministrator(server.urlOf("postgres"), async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      });
    },
  };
}

/** Counts other connections of this database inside a transaction, as the server sees them. */
export async function countTransactions(owner: Database): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend' and xact_start is not null and pid <> pg_backend_pid()`.execute(
    owner,
  );
  return rows.length;
}

/** Leaves out the partitions of years. */
export async function wholeTables(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}
