import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { findFreePort, type MainProcess, runMain } from "../../../testing/run-main.ts";
import { SettingsError } from "../settings/settings.ts";
import { migrateDatabase } from "./migrate-database.ts";

vi.setConfig({ testTimeout: 120_000 });

const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
let database: TestDatabase;
let folder: string;
/** Two later versions: an addition, then the removal of what it replaces. */
let next: string;
let afterNext: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "paraphe-migrations-"));
  [next, afterNext] = [join(folder, "next"), join(folder, "after-next")];
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const version of [next, afterNext]) {
    await cp(join(ROOT, "apps/server/migrations"), version, { recursive: true });
    await writeMigration(
      join(version, "9001-more.ts"),
      "alter table users add column more text not null default ''",
    );
  }
  await writeMigration(
    join(afterNext, "9002-less-after-9001.ts"),
    "alter table users drop column more",
  );
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const writeMigration = (path: string, statement: string) =>
  writeFile(
    path,
    `import { sql } from "kysely";\nexport const up = (db: never) => sql\`${statement}\`.execute(db);\n`,
  );

async function start(): Promise<MainProcess> {
  return runMain(
    {
      DATA_DIR: join(folder, "data"),
      DATABASE_URL: database.url,
      PORT: String(await findFreePort()),
    },
    folder,
  );
}

test("the next version migrates this one's schema, and this one still starts on it", async () => {
  expect(await migrateDatabase(database.owner, next)).toEqual(["9001-more"]);
  expect(await migrateDatabase(database.owner)).toEqual([]);
  const main = await start();
  await main.ready;
  main.child.kill("SIGTERM");
  expect(await main.exit).toBe(0);
});

test("two versions later the next one starts, and this one is refused in one French line, code 78", async () => {
  expect(await migrateDatabase(database.owner, afterNext)).toEqual(["9002-less-after-9001"]);
  expect(await migrateDatabase(database.owner, next)).toEqual([]);
  const main = await start();
  expect([await main.exit, main.stdout()]).toEqual([78, ""]);
  expect(main.stderr()).toMatch(
    /^Démarrage impossible\u00a0: une version plus récente .*\(9002-less-after-9001\).*Exemple\u00a0: .*\n$/,
  );
});

test("a database of another line of versions is refused", async () => {
  await sql`delete from kysely_migration where name = '0001-baseline'`.execute(database.owner);
  await expect(migrateDatabase(database.owner)).rejects.toThrow(SettingsError);
});
