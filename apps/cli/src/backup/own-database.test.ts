import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectDatabase } from "../../../server/src/platform/database/database.ts";
import {
  findLauncher,
  giveFolder,
  postgresEnvironment,
} from "../../../server/src/platform/database/embedded/launcher.ts";
import { hashOf } from "../../../server/src/platform/content-hash.ts";
import { openStore } from "../../../server/src/platform/files/open-store.ts";
import { openPlatform } from "../../../server/src/platform/open-platform.ts";
import { readSettings } from "../../../server/src/platform/settings/read-settings.ts";
import { createTestDatabase } from "../../../server/testing/database.ts";
import { faultOf, type Outcome } from "../outcome.ts";
import { openDump, restoreDump } from "./postgres-programs.ts";
import { runBackup } from "./run-backup.ts";
import { runRestore } from "./run-restore.ts";
import { runVerifyBackup } from "./run-verify-backup.ts";

const run = promisify(execFile);
/** Debian's PostgreSQL stands here. */
const BINARIES = "/usr/lib/postgresql/15/bin";
const BYTES = new TextEncoder().encode("un contrat");
const MASTER_KEY = Buffer.alloc(32, 3).toString("base64");
const silent = { info() {}, warn() {}, error() {} };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-own-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function saidBy(
  work: Promise<Outcome>,
): Promise<{ readonly code: number; readonly said: string }> {
  try {
    const { code, lines } = await work;
    return { code, said: lines.join("\n") };
  } catch (error) {
    const { line, code } = faultOf(error);
    return { code, said: line };
  }
}

describe.skipIf(!existsSync(join(BINARIES, "postgres")))(
  "a service with a database of its own",
  () => {
    let server: { url(name: string): string; stop(): Promise<void> };
    beforeAll(async () => {
      server = await startPostgres(join(folder, "server"));
    }, 60_000);
    afterAll(() => server?.stop());

    test("is backed up by pg_dump, verified, and restored into an empty database alone", async () => {
      const environment = {
        DATA_DIR: join(folder, "data"),
        DATABASE_URL: server.url("service"),
        MASTER_KEY,
      };
      const { platform, close } = await openPlatform(readSettings(environment, folder), {
        log: silent,
      });
      await platform.files.put(BYTES);
      await close();
      const deps = { environment, folder };
      expect(await saidBy(runBackup(["kept"], deps))).toMatchObject({ code: 0 });
      expect(await saidBy(runVerifyBackup(["kept"], deps))).toMatchObject({ code: 0 });

      const elsewhere = { ...environment, DATA_DIR: join(folder, "elsewhere") };
      expect(await saidBy(runRestore(["kept"], { ...deps, environment: elsewhere }))).toEqual({
        code: 1,
        said: "La base de DATABASE_URL n’est pas vide\u00a0: un service y travaille peut-être. Donnez une base vide.",
      });
      expect(
        await saidBy(
          runRestore(["kept"], {
            ...deps,
            environment: { DATA_DIR: elsewhere.DATA_DIR, MASTER_KEY },
          }),
        ),
      ).toMatchObject({
        code: 1,
        said: expect.stringContaining("donnez DATABASE_URL, une base vide"),
      });
      const restored = { ...elsewhere, DATABASE_URL: server.url("restored") };
      // The restore is refused before the database is written.
      const inFile = { ...restored, STORAGE_URL: "/dev/null/files" };
      expect(await saidBy(runRestore(["kept"], { ...deps, environment: inFile }))).toMatchObject({
        code: 78,
        said: expect.stringContaining("STORAGE_URL désigne un dossier qui ne peut pas être créé"),
      });
      // A dump cut short leaves the database empty.
      const dump = await buffer(await openDump(environment.DATABASE_URL, 15));
      await expect(
        restoreDump(
          restored.DATABASE_URL,
          15,
          Readable.from([dump.subarray(0, dump.length - 1_000)]),
        ),
      ).rejects.toThrow(/^pg_restore a échoué\u00a0: /);
      expect(await saidBy(runRestore(["kept"], { ...deps, environment: restored }))).toMatchObject({
        code: 0,
      });
      const again = await openPlatform(readSettings(restored, folder), { log: silent });
      expect(await again.platform.files.get(hashOf(BYTES))).toEqual(BYTES);
      await again.close();
    }, 120_000);
  },
);

test("names the PostgreSQL program that is missing or too old", async () => {
  const database = await createTestDatabase();
  const environment = { DATA_DIR: join(folder, "newer"), DATABASE_URL: database.url, MASTER_KEY };
  await openStore(database.db, readSettings(environment, folder), {
    newId: () => "0190a5a0-0000-7000-8000-00000000abcd",
    clock: () => new Date(),
  });
  const kept = process.env["PATH"];
  process.env["PATH"] = join(folder, "nothing");
  try {
    expect(await saidBy(runBackup(["newer-kept"], { environment, folder }))).toEqual({
      code: 1,
      said: "pg_dump 18 ou plus récent manque sur cette machine\u00a0: installez-le (apt install postgresql-client-18).",
    });
  } finally {
    process.env["PATH"] = kept;
    await database.drop();
  }
});

async function startPostgres(place: string) {
  await mkdir(join(place, "run"), { recursive: true, mode: 0o700 });
  const launcher = await findLauncher(BINARIES, place);
  await giveFolder(launcher, place);
  const within = async (program: string, words: readonly string[]) => {
    const [command = "", ...rest] = [...launcher.prefix, join(BINARIES, program), ...words];
    await run(command, rest, { env: postgresEnvironment(), cwd: "/" });
  };
  await within("initdb", [
    "--pgdata",
    join(place, "db"),
    "--username",
    "paraphe",
    "--auth",
    "trust",
    "--encoding",
    "UTF8",
    "--locale",
    "C",
    "--no-sync",
  ]);
  const options = `-c listen_addresses= -c unix_socket_directories=${join(place, "run")} -c fsync=off`;
  await within("pg_ctl", [
    "--pgdata",
    join(place, "db"),
    "--log",
    join(place, "log"),
    "--options",
    options,
    "--wait",
    "start",
  ]);
  const url = (name: string) =>
    `postgres://paraphe@localhost/${name}?host=${encodeURIComponent(join(place, "run"))}`;
  const db = connectDatabase(url("postgres"), { maxConnections: 1 });
  for (const name of ["service", "restored"])
    await sql`create database ${sql.id(name)}`.execute(db);
  await db.destroy();
  return {
    url,
    stop: () => within("pg_ctl", ["--pgdata", join(place, "db"), "--mode", "immediate", "stop"]),
  };
}
