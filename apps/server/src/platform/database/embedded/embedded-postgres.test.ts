import { type ChildProcess, spawn } from "node:child_process";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { findFreePort, runMain } from "../../../../testing/run-main.ts";
import { joinEmbeddedPostgres } from "./embedded-postgres.ts";

const MEMBER = fileURLToPath(
  new URL("../../../../testing/servers/postgres-member.ts", import.meta.url),
);
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

type Member = {
  readonly child: ChildProcess;
  readonly url: string;
  leave(): Promise<void>;
  kill(): Promise<void>;
};

// Tests start several servers each, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
const members: Member[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-pg-"));
});
afterEach(async () => {
  await leaveAll();
  await waitForServerEnd(folder);
  await rm(folder, { recursive: true, force: true });
});

async function leaveAll(): Promise<void> {
  for (const member of members.splice(0)) await member.leave();
}

async function startMember(
  dataDir: string,
  options: { word?: string; env?: NodeJS.ProcessEnv; uid?: number } = {},
): Promise<Member> {
  const words = [MEMBER, dataDir, ...(options.word ? [options.word] : [])];
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const child = spawn(process.execPath, words, {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...options.env,
    },
    ...identity,
  });
  let said = "";
  child.stdout?.on("data", (chunk) => (said += chunk));
  child.stderr?.on("data", (chunk) => (said += chunk));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await waitFor(
    () => said.includes("\njoined ") || said.startsWith("joined ") || child.exitCode !== null,
  );
  const url = /joined (\S+)/.exec(said)?.[1];
  if (!url) throw new Error(`The member did not join: ${said}`);
  const member: Member = {
    child,
    url,
    async leave() {
      child.stdin?.end();
      await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
  members.push(member);
  return member;
}

async function waitFor(met: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await met()); await sleep(20))
    if (Date.now() > deadline) throw new Error("waited in vain");
}

async function serverPid(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, "db/postmaster.pid"), "utf8").catch(() => "");
  return Number(text.split("\n")[0]) || null;
}

async function waitForServerEnd(dataDir: string): Promise<void> {
  await waitFor(async () => (await serverPid(dataDir)) === null);
}

async function wordsIn(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ word: string }>("select word from words order by word");
  await client.end();
  return rows.map((row) => row.word);
}

describe("the embedded PostgreSQL", () => {
  test("nobody enters without the password in its folder: the socket alone opens nothing", async () => {
    const { url } = await startMember(join(folder, "data"));
    expect((await stat(join(folder, "data/db/paraphe-password"))).mode & 0o077).toBe(0);
    for (const [username, password] of [
      ["paraphe", ""],
      ["paraphe", "paraphe"],
      ["postgres", ""],
    ]) {
      const client = new pg.Client({
        connectionString: Object.assign(new URL(url), { username, password }).href,
      });
      await expect(client.connect()).rejects.toThrow(/password|authentication/);
      await client.end().catch(() => {});
    }
  });

  test("a folder without its password is refused in one French line, code 78", async () => {
    await mkdir(join(folder, "db"));
    await writeFile(join(folder, "db/PG_VERSION"), "18\n");
    const main = runMain({ DATA_DIR: folder, PORT: String(await findFreePort()) }, folder);
    expect([await main.exit, main.stdout()]).toEqual([78, ""]);
    expect(main.stderr()).toMatch(
      /^Démarrage impossible\u00a0: .*\/db vient d’une version antérieure.*Exemple\u00a0: DATA_DIR=.*\n$/,
    );
  });

  test("data lasts from one start to the next, in UTF-8 whatever the machine's locale", async () => {
    const first = await startMember(folder, {
      word: "élève",
      env: { LC_ALL: "xx_YY.nowhere", LANG: "klingon" },
    });
    await first.leave();
    expect(await serverPid(folder)).toBeNull();
    const second = await startMember(folder);
    expect(await wordsIn(second.url)).toEqual(["élève"]);
    const client = new pg.Client({ connectionString: second.url });
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('fsync') fsync, current_setting('server_encoding') encoding, lower('É') lowered",
    );
    await client.end();
    expect(rows).toEqual([{ fsync: "on", encoding: "UTF8", lowered: "é" }]);
  });

  test("several processes share the server, which stops with the last one", async () => {
    const [first, second, third] = await Promise.all([
      startMember(folder),
      startMember(folder),
      startMember(folder),
    ]);
    const pid = await serverPid(folder);
    expect(new Set([first?.url, second?.url, third?.url]).size).toBe(1);
    await first?.leave();
    await second?.leave();
    expect(await serverPid(folder)).toBe(pid);
    await third?.leave();
    expect(await serverPid(folder)).toBeNull();
  });

  test("a data folder with a long path gets a short folder for its socket", async () => {
    const long = join(folder, "a".repeat(120));
    await mkdir(long);
    const member = await startMember(long, { word: "far" });
    expect(await wordsIn(member.url)).toEqual(["far"]);
    const socketFolder = decodeURIComponent(new URL(member.url).searchParams.get("host") ?? "");
    expect(socketFolder.startsWith(long)).toBe(false);
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
    await member.leave();
    await rm(socketFolder, { recursive: true });
  });

  test("a killed first start leaves nothing half made", async () => {
    const child = spawn(process.execPath, [MEMBER, folder], { stdio: "ignore" });
    await waitFor(async () => (await readdir(folder)).some((name) => name.startsWith("db.new-")));
    child.kill("SIGKILL");
    const member = await startMember(folder, { word: "whole" });
    expect(await wordsIn(member.url)).toEqual(["whole"]);
  });

  test.runIf(isRoot)("root can run it under a folder that only root may enter", async () => {
    await chmod(folder, 0o700);
    const inside = join(folder, "closed");
    await mkdir(inside, { mode: 0o700 });
    const member = await startMember(inside, { word: "root" });
    expect(await wordsIn(member.url)).toEqual(["root"]);
    await member.leave();
    await waitForServerEnd(inside);
  });

  test.runIf(isRoot)(
    "it runs as a plain user, even where a crash left a process number that is now another user's",
    async () => {
      await chown(folder, NOBODY, NOBODY);
      const member = await startMember(folder, { word: "plain", uid: NOBODY });
      expect(await wordsIn(member.url)).toEqual(["plain"]);
      expect((await stat(join(folder, "db"))).uid).toBe(NOBODY);
      await member.leave();
      await writeFile(
        join(folder, "db/postmaster.pid"),
        [1, join(folder, "db"), 1_750_000_000, 5432, folder, "", "", "ready\n"].join("\n"),
      );
      const again = await startMember(folder, { uid: NOBODY });
      expect(await wordsIn(again.url)).toEqual(["plain"]);
      await again.leave();
    },
  );

  test.runIf(isRoot)("a plain user without a name can run it", async () => {
    const nameless = 54_321;
    await chown(folder, nameless, nameless);
    const member = await startMember(folder, { word: "nameless", uid: nameless });
    expect(await wordsIn(member.url)).toEqual(["nameless"]);
    expect((await stat(join(folder, "db"))).uid).toBe(nameless);
    await member.leave();
  });

  test.runIf(isRoot)("root can run it where user namespaces are forbidden", async () => {
    const fakes = join(folder, "fakes");
    await mkdir(fakes);
    await writeFile(join(fakes, "unshare"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    const member = await startMember(closed, {
      word: "contained",
      env: { PATH: `${fakes}:${process.env.PATH}` },
    });
    expect(await wordsIn(member.url)).toEqual(["contained"]);
    expect((await stat(join(closed, "db"))).uid).toBe(NOBODY);
    await member.leave();
    await waitForServerEnd(closed);
    // With namespaces again, the files change owner back.
    const next = await startMember(closed);
    expect(await wordsIn(next.url)).toEqual(["contained"]);
    await next.leave();
    await waitForServerEnd(closed);
  });
});

/** The tests share a folder, as a first start takes a second of CPU. */
describe("an embedded PostgreSQL that was started before", () => {
  let cluster: string;
  beforeAll(async () => {
    cluster = await mkdtemp(join(tmpdir(), "paraphe-pg-"));
    await (await startMember(cluster)).leave();
  });
  afterEach(async () => {
    await leaveAll();
    await waitForServerEnd(cluster);
  });
  afterAll(() => rm(cluster, { recursive: true, force: true }));

  test("it starts when another program has the process number in a crashed server's lock", async () => {
    const first = await startMember(cluster, { word: "avant" });
    await first.leave();
    const text = [
      process.pid,
      join(cluster, "db"),
      1_750_000_000,
      5432,
      cluster,
      "",
      "",
      "ready",
    ].join("\n");
    await writeFile(join(cluster, "db/postmaster.pid"), `${text}\n`);
    const second = await startMember(cluster);
    expect(await wordsIn(second.url)).toEqual(expect.arrayContaining(["avant"]));
    await second.leave();
  });

  test("it stops when its last process is killed, and restarts cleanly", async () => {
    const killed = await startMember(cluster, { word: "before" });
    await killed.kill();
    const next = await startMember(cluster, { word: "after" });
    expect(await wordsIn(next.url)).toEqual(expect.arrayContaining(["after", "before"]));
    await next.kill();
    await waitForServerEnd(cluster);
  });

  test("a killed server restarts under a living process", async () => {
    const troubles: unknown[] = [];
    const server = await joinEmbeddedPostgres({
      dataDir: cluster,
      onTrouble: (error) => troubles.push(error),
    });
    const pid = await serverPid(cluster);
    process.kill(pid ?? 0, "SIGKILL");
    await waitFor(async () => {
      const now = await serverPid(cluster);
      return now !== null && now !== pid;
    });
    const next = await startMember(cluster, { word: "mended" });
    expect(await wordsIn(next.url)).toEqual(expect.arrayContaining(["mended"]));
    await next.leave();
    await server.leave();
    expect(await serverPid(cluster)).toBeNull();
  });

  test("it restarts cleanly after the server and its process were killed together", async () => {
    const first = await startMember(cluster, { word: "kept" });
    process.kill((await serverPid(cluster)) ?? 0, "SIGKILL");
    await first.kill();
    const second = await startMember(cluster);
    expect(await wordsIn(second.url)).toEqual(expect.arrayContaining(["kept"]));
  });

  test("the server's log contains no value of a row", async () => {
    const member = await startMember(cluster);
    const client = new pg.Client({ connectionString: member.url });
    await client.connect();
    await client.query("create table people (email text primary key)");
    await client.query("insert into people values ('marie@exemple.fr')");
    await expect(client.query("insert into people values ('marie@exemple.fr')")).rejects.toThrow();
    await client.end();
    await member.leave();
    expect(await readFile(join(cluster, "postgresql.log"), "utf8")).not.toContain("marie");
  });
});
