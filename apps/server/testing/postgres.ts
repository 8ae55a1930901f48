import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { connectDatabase } from "../src/platform/database/database.ts";
import {
  type EmbeddedPostgres,
  joinEmbeddedPostgres,
} from "../src/platform/database/embedded/embedded-postgres.ts";
import { createQueue } from "../src/platform/queue/create-queue.ts";
import { migrateDatabase } from "../src/platform/database/migrate-database.ts";
import { prepareServiceRole, serviceUrlOf } from "../src/platform/database/service-role.ts";

/** `npm test` puts it in memory. */
const DATA_DIR =
  process.env.TEST_POSTGRES_DIR ??
  fileURLToPath(new URL("../../../.cache/test-postgres", import.meta.url));
const MIGRATIONS = fileURLToPath(new URL("../migrations", import.meta.url));
const SERVICE_ROLE_CODE = fileURLToPath(
  new URL("../src/platform/database/service-role.ts", import.meta.url),
);

/** Set by `postgres-15/global-setup.ts`. */
export const OLDEST_POSTGRES_URL = "TEST_POSTGRES_15_URL";

export type TestPostgres = Pick<EmbeddedPostgres, "urlOf" | "leave">;

/** Named by a hash of the migrations and the grants after them. */
export const TEMPLATE_DATABASE = `template_${migrationsHash()}`;

/** The shared test server, kept between runs, its template migrated; durability is off. */
export async function joinTestPostgres(): Promise<TestPostgres> {
  const server = await joinOrRestart();
  await withAdministrator(server.urlOf("postgres"), async (client) => {
    await client.query("select pg_advisory_lock(1)");
    await dropAbandoned(client);
    await makeTemplate(server, client);
  });
  return server;
}

async function joinOrRestart(): Promise<TestPostgres> {
  const oldest = process.env.TEST_POSTGRES === "15" ? process.env[OLDEST_POSTGRES_URL] : undefined;
  if (oldest !== undefined)
    return {
      urlOf: (name) => Object.assign(new URL(oldest), { pathname: name }).href,
      leave: async () => {},
    };
  const options = {
    dataDir: DATA_DIR,
    configuration: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "300",
      autovacuum: "off",
    },
  };
  try {
    return await joinEmbeddedPostgres(options);
  } catch {
    await rm(DATA_DIR, { recursive: true, force: true });
    return joinEmbeddedPostgres(options);
  }
}

async function makeTemplate(server: TestPostgres, client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    "select 1 from pg_database where datname = $1 and datistemplate",
    [TEMPLATE_DATABASE],
  );
  if (rowCount) return;
  await client.query(`drop database if exists ${TEMPLATE_DATABASE}`);
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  const db = connectDatabase(server.urlOf(TEMPLATE_DATABASE));
  await migrateDatabase(db)
    .then(() => prepareServiceRole(db, { login: serviceUrlOf(server.urlOf(TEMPLATE_DATABASE)) }))
    .finally(() => db.destroy());
  // The queue's tables, so that no test waits for them.
  const queue = createQueue({
    url: server.urlOf(TEMPLATE_DATABASE),
    log: { info() {}, warn() {}, error() {} },
  });
  await queue.start("enqueue");
  await queue.stop();
  await client.query(`alter database ${TEMPLATE_DATABASE} is_template true`);
}

/** Databases of killed test processes, and day-old templates of other migrations. */
async function dropAbandoned(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where datname like 'test\\_%'",
  );
  for (const { datname } of rows) {
    if (!isAlive(Number(datname.split("_")[1])))
      await client.query(`drop database if exists ${datname} with (force)`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function withAdministrator(
  url: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function migrationsHash(): string {
  const hash = createHash("sha256");
  hash.update(readFileSync(SERVICE_ROLE_CODE));
  for (const name of readdirSync(MIGRATIONS, { recursive: true, encoding: "utf8" }).sort())
    if (/\.\w+$/.test(name)) hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest("hex").slice(0, 16);
}
