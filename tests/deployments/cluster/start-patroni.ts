import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Machine, NETWORK, openMachines } from "./open-machines.ts";
import {
  endWithThis,
  type RunningProgram,
  signalTree,
  startProgram,
  waitUntil,
} from "./start-process.ts";

const EXAMPLE = join(import.meta.dirname, "../../../deploy/patroni/patroni.yml");
const BINARIES = "/usr/lib/postgresql/15/bin";
export const PASSWORD = "motdepasse";
/** The numbers of the examples. */
const NUMBERS = { pg1: 21, pg2: 22, pg3: 23 };
const MEMBERS = Object.keys(NUMBERS).length;
const ETCD = { client: 2379, peer: 2380 };
const CHECK_PORT = 8008;

type Member = {
  readonly name: string;
  readonly address: string;
  start(): void;
  /** Kills all its processes, as a power cut does. */
  kill(): Promise<void>;
  /** Stops all its processes, their connections open. */
  freeze(): void;
  thaw(): void;
  cutOff(): void;
  joinAgain(): void;
};

export type Patroni = {
  readonly members: readonly Member[];
  primary(): Promise<Member>;
  /** Waits for a primary that the others follow. */
  settle(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts three PostgreSQL with Patroni and etcd, one replica synchronous. */
export async function startPatroni(folder: string): Promise<Patroni> {
  const { machines, close } = openMachines(NUMBERS);
  const members = machines.map((machine) => makeMember(machine, { folder, machines }));
  for (const member of members) member.start();
  for (const member of members)
    await waitUntil(`${member.name} runs`, () => isHealthy(member), {
      ms: 120_000,
      said: () => readFileSync(join(folder, `${member.name}.log`), "utf8").slice(-2_000),
    });
  // A member that was away names the earlier primary for a while.
  const settle = () =>
    waitUntil(
      "three members that follow the same primary, one of them in step",
      async () => {
        const told = await Promise.all(members.map(toldBy));
        return told.every((each) => each !== null && each === told[0]);
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
      close();
    },
  };
}

/** Roles as a member knows them, in one line; null unless all run with one synchronous. */
async function toldBy({ address }: Member): Promise<string | null> {
  const answer = await fetch(`http://${address}:${CHECK_PORT}/cluster`, {
    signal: AbortSignal.timeout(2_000),
  });
  const { members } = (await answer.json()) as {
    members: { name: string; role: string; state: string; timeline: number }[];
  };
  const runs = members.filter(({ state }) => state === "running" || state === "streaming");
  const roles = runs.map(({ role }) => role);
  if (runs.length < MEMBERS || !roles.includes("leader") || !roles.includes("sync_standby"))
    return null;
  const [first] = runs;
  if (!runs.every(({ timeline }) => timeline === first?.timeline)) return null;
  return runs
    .map(({ name, role }) => `${name} ${role}`)
    .toSorted()
    .join(", ");
}

const answers = async (member: Member, path: string): Promise<boolean> =>
  fetch(`http://${member.address}:${CHECK_PORT}/${path}`, {
    signal: AbortSignal.timeout(1_000),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
const isPrimary = (member: Member): Promise<boolean> => answers(member, "primary");
const isHealthy = (member: Member): Promise<boolean> => answers(member, "health");

/** PostgreSQL refuses to run as root. */
const AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"];

function makeMember(
  machine: Machine,
  { folder, machines }: { folder: string; machines: readonly Machine[] },
): Member {
  const { name, address } = machine;
  const own = join(folder, name);
  const data = join(own, "data");
  mkdirSync(own, { mode: 0o700 });
  const [uid, gid] = ["-u", "-g"].map((word) =>
    Number(execFileSync("id", [word, "postgres"], { encoding: "utf8" })),
  );
  chownSync(own, uid ?? 0, gid ?? 0);
  const file = join(folder, `${name}.yml`);
  writeFileSync(file, configurationOf({ name, address, own, data }));
  const commands = {
    [`etcd-${name}`]: etcdOf(machine, { machines, data: join(folder, `etcd-${name}`) }),
    [name]: [...AS_POSTGRES, "patroni", file],
  };
  let running: readonly RunningProgram[] = [];
  const each = (signal: NodeJS.Signals) => {
    for (const { pid } of running) signalTree(pid, signal);
    const postmaster = postmasterOf(data);
    if (postmaster !== null) signalTree(postmaster, signal);
  };
  // PostgreSQL outlives the Patroni that started it.
  endWithThis(() => each("SIGKILL"));
  return {
    ...machine,
    start() {
      running = Object.entries(commands).map(([called, command]) =>
        startProgram({ name: called, folder, command: machine.on(command) }),
      );
    },
    async kill() {
      each("SIGKILL");
      await Promise.all(running.map((program) => program.kill()));
    },
    freeze: () => each("SIGSTOP"),
    thaw: () => each("SIGCONT"),
  };
}

function etcdOf(
  { name, address }: Machine,
  { machines, data }: { machines: readonly Machine[]; data: string },
): readonly string[] {
  const at = (host: string, port: number) => `http://${host}:${port}`;
  return [
    "etcd",
    "--enable-v2",
    `--name=${name}`,
    `--data-dir=${data}`,
    // A member that returns starts no election.
    "--pre-vote",
    // On a shared machine a late beat is no reason for an election.
    "--heartbeat-interval=300",
    "--election-timeout=3000",
    `--listen-client-urls=${at(address, ETCD.client)}`,
    `--advertise-client-urls=${at(address, ETCD.client)}`,
    `--listen-peer-urls=${at(address, ETCD.peer)}`,
    `--initial-advertise-peer-urls=${at(address, ETCD.peer)}`,
    `--initial-cluster=${machines.map((each) => `${each.name}=${at(each.address, ETCD.peer)}`).join(",")}`,
  ];
}

/** Source: PostgreSQL 15, §70.1: the first line of `postmaster.pid`. */
function postmasterOf(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    // After a kill the number may belong to another process.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data) ? pid : null;
  } catch {
    return null;
  }
}

type Place = {
  readonly name: string;
  readonly address: string;
  readonly own: string;
  readonly data: string;
};

function configurationOf({ name, address, own, data }: Place): string {
  return readFileSync(EXAMPLE, "utf8")
    .replace("name: pg1", `name: ${name}`)
    .replaceAll(/(listen|connect_address): 10\.0\.0\.21/g, `$1: ${address}`)
    .replaceAll("10.0.0.", NETWORK)
    .replace("/usr/lib/postgresql/15/bin", BINARIES)
    .replace("/var/lib/postgresql/15/paraphe", data)
    .replace("/var/lib/postgresql/pgpass-patroni", join(own, "pgpass"))
    .replace("/var/run/postgresql", own);
}
