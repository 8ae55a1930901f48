import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../support/start-server.ts";
import { endWithThis, type RunningProgram, signalTree, startProgram, waitUntil } from "./start-process.ts";

const EXAMPLE = join(import.meta.dirname, "../../../deploy/patroni/patroni.yml");
const BINARIES = "/usr/lib/postgresql/15/bin";
/** As the example has it. */
export const PASSWORD = "motdepasse";
const MEMBERS = 3;

export type Member = {
  readonly name: string;
  readonly port: number;
  /** Where Patroni answers whether this one is the primary. */
  readonly checkPort: number;
  start(): void;
  /** PostgreSQL and its Patroni, at once: a machine without power. */
  kill(): Promise<void>;
  /** Both stand still, their connections open: a machine that is cut off. */
  freeze(): void;
  thaw(): void;
};

export type Patroni = {
  readonly members: readonly Member[];
  primary(): Promise<Member>;
  /** Waits until there is a primary, and the others follow it. */
  settle(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts etcd and three PostgreSQL that Patroni leads, one of them in step with the primary: what is acknowledged is on two. */
export async function startPatroni(folder: string): Promise<Patroni> {
  const [client, peer] = [await findFreePort(), await findFreePort()];
  const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` };
  const etcd = startProgram({
    name: "etcd",
    folder,
    command: [
      "etcd",
      "--enable-v2",
      "--name=etcd",
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${urls.client}`,
      `--advertise-client-urls=${urls.client}`,
      `--listen-peer-urls=${urls.peer}`,
      `--initial-advertise-peer-urls=${urls.peer}`,
      `--initial-cluster=etcd=${urls.peer}`,
    ],
  });
  await waitUntil("etcd is healthy", async () => (await fetch(`${urls.client}/health`)).ok, etcd);
  const members: Member[] = [];
  for (let index = 1; index <= MEMBERS; index += 1) {
    const member = await makeMember(`pg${index}`, { folder, etcdPort: client });
    members.push(member);
    member.start();
    // The first one makes the cluster.
    await waitUntil(`${member.name} runs`, () => isHealthy(member), {
      ms: 120_000,
      said: () => readFileSync(join(folder, `${member.name}.log`), "utf8").slice(-2_000),
    });
  }
  const settle = () =>
    waitUntil(
      "three members, one of them in step",
      async () => {
        const answer = await fetch(`http://127.0.0.1:${members[0]?.checkPort}/cluster`);
        const { members: found } = (await answer.json()) as { members: { role: string; state: string; lag?: number | string }[] };
        const roles = found.map(({ role }) => role);
        const run = found.every(({ state }) => state === "running" || state === "streaming");
        return run && found.length === MEMBERS && roles.includes("leader") && roles.includes("sync_standby");
      },
      { ms: 120_000 },
    );
  await settle();
  return {
    members,
    settle,
    async primary() {
      for (const member of members) if (await isPrimary(member)) return member;
      throw new Error("Expected a primary");
    },
    async stop() {
      await Promise.all(members.map((member) => member.kill()));
      await etcd.kill();
    },
  };
}

const answers = async (member: Member, path: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${member.checkPort}/${path}`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
const isPrimary = (member: Member): Promise<boolean> => answers(member, "primary");
const isHealthy = (member: Member): Promise<boolean> => answers(member, "health");

/** Debian's own user of PostgreSQL, which refuses to run as root. */
const AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"];

async function makeMember(name: string, { folder, etcdPort }: { folder: string; etcdPort: number }): Promise<Member> {
  const own = join(folder, name);
  const data = join(own, "data");
  const [port, checkPort] = [await findFreePort(), await findFreePort()];
  mkdirSync(own, { mode: 0o700 });
  const [uid, gid] = ["-u", "-g"].map((word) => Number(execFileSync("id", [word, "postgres"], { encoding: "utf8" })));
  chownSync(own, uid ?? 0, gid ?? 0);
  const file = join(folder, `${name}.yml`);
  writeFileSync(file, configurationOf({ name, own, data, port, checkPort, etcdPort }));
  let patroni: RunningProgram | null = null;
  const each = (signal: NodeJS.Signals) => {
    if (patroni) signalTree(patroni.pid, signal);
    const postmaster = postmasterOf(data);
    if (postmaster !== null) signalTree(postmaster, signal);
  };
  // PostgreSQL outlives the Patroni that started it.
  endWithThis(() => each("SIGKILL"));
  return {
    name,
    port,
    checkPort,
    start: () => void (patroni = startProgram({ name, folder, command: [...AS_POSTGRES, "patroni", file] })),
    async kill() {
      each("SIGKILL");
      await patroni?.kill();
    },
    freeze: () => each("SIGSTOP"),
    thaw: () => each("SIGCONT"),
  };
}

/** Source: PostgreSQL 15, §70.1: the first line of `postmaster.pid`. */
function postmasterOf(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    // A file that a killed server left may name another process by now.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data) ? pid : null;
  } catch {
    return null;
  }
}

type Place = {
  readonly name: string;
  readonly own: string;
  readonly data: string;
  readonly port: number;
  readonly checkPort: number;
  readonly etcdPort: number;
};

/** The example, with this machine's places. */
function configurationOf({ name, own, data, port, checkPort, etcdPort }: Place): string {
  return readFileSync(EXAMPLE, "utf8")
    .replace("name: pg1", `name: ${name}`)
    .replace(/hosts: .*/, `hosts: ["127.0.0.1:${etcdPort}"]`)
    .replaceAll("10.0.0.21:8008", `127.0.0.1:${checkPort}`)
    .replaceAll("10.0.0.21:5432", `127.0.0.1:${port}`)
    .replaceAll("10.0.0.0/24", "127.0.0.1/32")
    .replace("/usr/lib/postgresql/15/bin", BINARIES)
    .replace("/var/lib/postgresql/15/paraphe", data)
    .replace("/var/lib/postgresql/pgpass-patroni", join(own, "pgpass"))
    .replace("/var/run/postgresql", own);
}
