import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/database.ts";
import { findFreePort, type MainProcess, runMain } from "../testing/run-main.ts";

const PROGRAM = join(import.meta.dirname, "../../..");

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let folder: string;
let port: number;
/** The compile cache that all processes share. */
let cache: string;
const running: MainProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-main-"));
  cache = join(folder, "cache");
  port = await findFreePort();
});
afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill("SIGTERM");
    await exit;
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

/** Starts in a shared folder, whose PostgreSQL is made once. */
function start(
  settings: Record<string, string> = {},
  limits: { openFiles?: number } = {},
): MainProcess {
  const main = runMain(
    { DATA_DIR: join(folder, "data"), PORT: String(port), NODE_COMPILE_CACHE: cache, ...settings },
    folder,
    limits,
  );
  running.push(main);
  return main;
}

type Answer = {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
};

function call(
  path: string,
  options: { method?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const payload = options.body === undefined ? "" : JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const headers = {
      ...(payload ? { "content-type": "application/json" } : {}),
      ...options.headers,
    };
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: options.method ?? "GET",
        headers,
        rejectUnauthorized: false,
      },
      (response) => {
        let text = "";
        response
          .on("data", (chunk) => (text += chunk))
          .on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
      },
    );
    sent.on("error", reject).end(payload);
  });
}

/** The sandbox may still be starting, so readiness is polled. */
const expectWell = () =>
  expect
    .poll(async () => (await call("/api/health/")).text, { timeout: 30_000 })
    .toBe('{"status":"ok"}');

async function expectRefused(variable: string, settings: Record<string, string>): Promise<void> {
  const main = start(settings);
  expect([await main.exit, main.stdout()]).toEqual([78, ""]);
  expect(main.stderr()).toMatch(
    new RegExp(`^Réglage refusé\u00a0: ${variable} .*Exemple\u00a0: ${variable}=\\S+\n$`),
  );
}

describe("a process of the service", () => {
  test("a process announces itself in its last line, serves, keeps its compile cache, and stops with 0 on SIGTERM", async () => {
    const first = start();
    await first.ready;
    expect(first.stdout().trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        `^Premier démarrage \\(une seule fois, sous 24 heures\\)\u00a0: https://localhost:${port}/premier-demarrage#[\\w-]{43}$`,
      ),
      `Boîte aux lettres locale : https://localhost:${port}/boite-aux-lettres/`,
      `Paraphe est prêt : https://localhost:${port}`,
    ]);
    await expectWell();
    // The cache is written while the process runs: a killed one leaves it too.
    await expect
      .poll(async () => (await readdir(cache, { recursive: true })).length, { timeout: 20_000 })
      .toBeGreaterThan(300);
    const asked = performance.now();
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    // The next test starts after a kill.
    const killed = start();
    await killed.ready;
    killed.child.kill("SIGKILL");
    await killed.exit;
  });

  test("a process restarts after a kill, stops with 1 and a logged reason after an uncaught error, and with 0 on SIGINT", async () => {
    // Also reports a PDF library loaded outside the sandbox.
    const bug = `import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) { if (name.startsWith("@libpdf/")) console.error("loads " + name); return next(name, context); } });
      process.on("SIGUSR2", () => { throw new Error("a bug nobody caught"); });`;
    const main = start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
    });
    await main.ready;
    await expectWell();
    main.child.kill("SIGUSR2");
    expect(await main.exit).toBe(1);
    expect(main.stderr()).toContain("a bug nobody caught");
    expect(main.stderr()).toContain("the process stops");
    expect(main.stderr()).not.toContain("@libpdf");
    const last = start({ NODE_ENV: "production", MAIL: "none" });
    await last.ready;
    await expectWell();
    expect(last.stderr()).toContain("the embedded PostgreSQL is for trying");
    last.child.kill("SIGINT");
    expect(await last.exit).toBe(0);
  });

  test("a bad setting is refused in one French line, code 78", async () => {
    const main = start({ PUBLIC_URL: "http://localhost" });
    expect(await main.exit).toBe(78);
    expect(main.stdout()).toBe("");
    expect(main.stderr()).toMatch(
      /^Réglage refusé\u00a0: PUBLIC_URL doit commencer par .*Exemple\u00a0: PUBLIC_URL=https:\/\/\S+\n$/,
    );
    const unreadable = start({
      TLS: "files",
      TLS_CERT: "/nulle/part.pem",
      TLS_KEY: "/nulle/part.pem",
    });
    expect(await unreadable.exit).toBe(78);
    expect(unreadable.stderr().trimEnd().split("\n")).toHaveLength(1);
    const later = start({ STORAGE_URL: "s3://seau" });
    expect(await later.exit).toBe(78);
    expect(later.stderr()).toContain("ne nomme pas de région");
  });

  test("a folder that cannot be made, or lies in the program, is refused in one French line, code 78", async () => {
    const file = join(folder, "fichier");
    await writeFile(file, "");
    const refusals: readonly [string, Record<string, string>][] = [
      ["DATA_DIR", { DATA_DIR: "/proc/x" }],
      ["DATA_DIR", { DATA_DIR: file }],
      ["STORAGE_URL", { STORAGE_URL: join(file, "dossier") }],
      ["DATA_DIR", { DATA_DIR: join(PROGRAM, "node_modules/.donnees") }],
      ["STORAGE_URL", { STORAGE_URL: join(PROGRAM, "packages/pades/src/fichiers") }],
      [
        "TLS_KEY",
        { TLS: "files", TLS_CERT: file, TLS_KEY: join(PROGRAM, "apps/server/src/cle.pem") },
      ],
      ["CHECKPOINT_DIR", { CHECKPOINT_DIR: join(file, "dossier") }],
    ];
    for (const [variable, settings] of refusals) await expectRefused(variable, settings);
    expect(existsSync(join(PROGRAM, "node_modules/.donnees"))).toBe(false);
  });

  test("too few open files are refused in one French line, code 78", async () => {
    const main = start({}, { openFiles: 110 });
    expect([await main.exit, main.stdout()]).toEqual([78, ""]);
    expect(main.stderr()).toMatch(
      /^Démarrage impossible\u00a0: le système n’accorde que 110 fichiers ouverts .*Exemple\u00a0: ulimit -n \d+\n$/,
    );
  });

  test("a database that does not answer is reported in one line", async () => {
    const lost = start({ DATABASE_URL: "postgres://paraphe@127.0.0.1:9/paraphe" });
    expect(await lost.exit).toBe(1);
    expect(lost.stderr()).toMatch(/^Démarrage impossible.*DATABASE_URL.*\n$/);
  });

  test.each(["admin list", "keys list", "audit check", "verify-store"])(
    "says the same from the command « %s »",
    (command) => {
      const env = {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: cache,
        DATA_DIR: join(folder, "lost"),
        DATABASE_URL: "postgres://x@127.0.0.1:9/x",
      };
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(PROGRAM, "apps/cli/src/main.ts"), ...command.split(" ")],
        {
          encoding: "utf8",
          env,
        },
      );
      expect([status, stdout, stderr]).toEqual([
        1,
        "",
        expect.stringMatching(/^Démarrage impossible.*DATABASE_URL.*\n$/),
      ]);
    },
  );
});

describe("web processes of one start", () => {
  const alive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  /** Processes of the service below another, by proc(5). */
  const childrenOf = async (pid: number) => {
    const listed = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    const pids = listed.trim().split(" ").map(Number);
    const titles = await Promise.all(
      pids.map((one) => readFile(`/proc/${one}/cmdline`, "utf8").catch(() => "")),
    );
    return pids.filter((_, index) => titles[index]?.startsWith("paraphe"));
  };

  test("WEB_PROCESSES share the port, one that dies is replaced, and all end with the first", async () => {
    const first = start({ WEB_PROCESSES: "2" });
    await first.ready;
    await expectWell();
    expect(first.stdout().match(/Paraphe est prêt/g)).toHaveLength(1);
    const pid = first.child.pid ?? 0;
    const before = await childrenOf(pid);
    expect(before).toHaveLength(2);
    process.kill(before[0] ?? 0, "SIGKILL");
    await expect
      .poll(async () => (await childrenOf(pid)).filter((one) => !before.includes(one)), {
        timeout: 30_000,
      })
      .toHaveLength(1);
    await expectWell();
    const last = await childrenOf(pid);
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(last.filter(alive)).toEqual([]);
  });

  test("a taken port is reported once, and nothing is left running", async () => {
    const taken = createServer().listen(port, "127.0.0.1");
    await once(taken, "listening");
    const refused = start({ WEB_PROCESSES: "2" });
    expect(await refused.exit).toBe(1);
    expect(refused.stderr()).toContain(`le port ${port} est déjà pris`);
    taken.close();
    await once(taken, "close");
  });
});

describe("processes of the service on one PostgreSQL", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  /** A store belongs to one database. */
  const shared = () => ({ DATABASE_URL: database.url, DATA_DIR: join(folder, "shared") });

  test("a web and a worker process do the work of one; a third reports its taken port in one line", async () => {
    const web = start({ ...shared(), ROLE: "web" });
    await web.ready;
    const visit = await call("/api/verify-token/");
    const lines = [visit.headers["set-cookie"] ?? []].flat();
    const account = {
      username: "marie",
      email: "marie@exemple.fr",
      password: "un-mot-de-passe-solide",
      first_name: "Marie",
      last_name: "Durand",
      birth_date: "1990-02-28",
    };
    const cookie = lines.map((line) => line.split(";")[0]).join("; ");
    const headers = { cookie, "x-csrftoken": /csrftoken=([^;]+)/.exec(cookie)?.[1] ?? "" };
    const registered = await call("/api/signature/register/", {
      method: "POST",
      body: account,
      headers,
    });
    expect([registered.status, registered.text]).toEqual([201, expect.any(String)]);
    const second = start({ ...shared(), ROLE: "web" });
    expect(await second.exit).toBe(1);
    expect(second.stderr()).toContain(`le port ${port} est déjà pris`);
    expect(JSON.parse((await call("/boite-aux-lettres/messages.json")).text).results).toEqual([]);
    const metricsPort = await findFreePort();
    const watched = start({
      ...shared(),
      ROLE: "worker",
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    });
    const workers = [watched, start({ ...shared(), ROLE: "worker" })];
    for (const worker of workers) await worker.ready;
    const healthOf = async (what: string) =>
      (await fetch(`http://127.0.0.1:${metricsPort}/api/health/${what}`)).status;
    expect(await healthOf("live")).toBe(200);
    // The sandbox starts meanwhile.
    await expect.poll(() => healthOf("ready"), { timeout: 30_000 }).toBe(200);
    expect(workers[0]?.stdout()).toBe("Paraphe est prêt : tâches de fond\n");
    let messages: { destination: string }[] = [];
    for (
      const deadline = Date.now() + 10_000;
      messages.length === 0 && Date.now() < deadline;
      await sleep(100)
    ) {
      messages = JSON.parse((await call("/boite-aux-lettres/messages.json")).text).results;
    }
    expect(messages.map((message) => message.destination)).toEqual(["marie@exemple.fr"]);
    const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/api/metrics`)).text();
    const named = new Set(figures.matchAll(/^# TYPE (\S+)/gm).map(([, name]) => name));
    for (const file of ["prometheus/alerts.yaml", "grafana/paraphe.json"]) {
      const used =
        (await readFile(join(import.meta.dirname, "../../../deploy", file), "utf8")).match(
          /\b(?:paraphe|process|nodejs)_[a-z0-9_]+/g,
        ) ?? [];
      expect(used.length, file).toBeGreaterThan(5);
      expect(
        used.map((name) => name.replace(/_(bucket|count)$/, "")).filter((name) => !named.has(name)),
      ).toEqual([]);
    }
    for (const { child, exit } of [web, ...workers]) {
      child.kill("SIGTERM");
      expect(await exit).toBe(0);
    }
  });

  test.each<[string, Record<string, string>]>([
    // A worker may log that its database was closed.
    ["HOST", { HOST: "999.1.1.1", ROLE: "web" }],
    ["HOST", { HOST: "foo.invalid", ROLE: "web" }],
    ["METRICS_LISTEN", { METRICS_LISTEN: "foo.invalid:9464" }],
  ])(
    "an address of no machine in %s is refused in one French line, code 78",
    (variable, settings) => expectRefused(variable, { ...shared(), ...settings }),
  );

  test("METRICS_LISTEN with a taken port is refused by that name, code 78", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const takenPort = typeof address === "object" ? address?.port : undefined;
    await expectRefused("METRICS_LISTEN", {
      ...shared(),
      METRICS_LISTEN: `127.0.0.1:${takenPort}`,
    });
    taken.close();
  });

  test("a node with another master key, none, another store or an unmounted one is refused in one French line, code 78, and makes nothing", async () => {
    const masterKey = (await readFile(join(folder, "shared/keys/master.key"), "utf8")).trim();
    const node = join(folder, "node");
    const refusals: readonly [RegExp, Record<string, string>][] = [
      [
        /^Démarrage impossible\u00a0: MASTER_KEY n’est pas la clé de cette base\. Exemple\u00a0: .*\n$/,
        {},
      ],
      [
        /^Démarrage impossible\u00a0: MASTER_KEY n’est pas la clé de cette base\. /,
        { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") },
      ],
      [
        /^Réglage refusé\u00a0: STORAGE_URL ne mène pas aux fichiers de cette base, peut-être parce que le disque n’est pas monté\..*\n$/,
        { MASTER_KEY: masterKey },
      ],
    ];
    for (const [line, settings] of refusals) {
      const main = start({ ...shared(), DATA_DIR: node, ...settings });
      expect([await main.exit, main.stdout()]).toEqual([78, ""]);
      expect(main.stderr()).toMatch(line);
    }
    expect(await readdir(node)).toEqual(["tls"]);
    await mkdir(join(node, "files"));
    await writeFile(join(node, "files/store-id"), "celui d’une autre base");
    const other = start({ ...shared(), DATA_DIR: node, MASTER_KEY: masterKey });
    expect([await other.exit, other.stderr().trimEnd().split("\n")]).toEqual([
      78,
      [expect.stringContaining("d’une autre base")],
    ]);
    // A silent server may recover.
    const away = start({
      ...shared(),
      DATA_DIR: node,
      MASTER_KEY: masterKey,
      STORAGE_URL: `s3://fichiers?region=r&endpoint=http://127.0.0.1:${await findFreePort()}`,
      AWS_ACCESS_KEY_ID: "cle",
      AWS_SECRET_ACCESS_KEY: "motdepasse",
    });
    expect([await away.exit, away.stdout()]).toEqual([1, ""]);
    expect(away.stderr()).toMatch(
      /^Démarrage impossible\u00a0: le stockage de STORAGE_URL ne répond pas\. [^\n]+\n$/,
    );
  });

  test("ROLE=migrate migrates the database and ends with 0", async () => {
    const empty = await createTestDatabase();
    await sql
      .raw("drop schema public cascade; drop schema jobs cascade; create schema public")
      .execute(empty.owner);
    const main = start({ DATABASE_URL: empty.url, ROLE: "migrate" });
    expect([await main.exit, main.stdout()]).toEqual([0, "La base est à jour\n"]);
    const { rows } =
      await sql`select to_regclass('audit_events_default') is not null and to_regclass('jobs.job') is not null as ready`.execute(
        empty.owner,
      );
    expect(rows).toEqual([{ ready: true }]);
    await empty.drop();
  });

  test("a PostgreSQL that is too old is refused in one French line, code 78", async () => {
    const old = await createTestDatabase();
    const name = sql.id(new URL(old.url).pathname.slice(1));
    await sql`create schema old`.execute(old.owner);
    await sql`create function old.current_setting(text) returns text language sql as $$ select '140012' $$`.execute(
      old.owner,
    );
    await sql`alter database ${name} set search_path = old, pg_catalog, public`.execute(old.owner);
    const main = start({ DATABASE_URL: old.url });
    expect([await main.exit, main.stdout()]).toEqual([78, ""]);
    expect(main.stderr()).toMatch(
      /^Démarrage impossible\u00a0: DATABASE_URL mène à PostgreSQL 14, il faut la version 15 .*\n$/,
    );
    await old.drop();
  });
});
