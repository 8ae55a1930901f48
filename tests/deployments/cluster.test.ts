import { setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPooler } from "../run/install-interop-tools.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/run-here.ts";
import { makeNextVersion, type OtherVersion } from "./cluster/make-next-version.ts";
import { type Cluster, type Node, openCluster } from "./cluster/open-cluster.ts";
import { needGarage } from "./cluster/start-garage.ts";
import { waitUntil } from "./cluster/start-process.ts";
import { type Cost, type Watch, watchCluster } from "./cluster/watch-cluster.ts";
import { needTools } from "./need-tools.ts";

/** Longest time until readiness and calls are as before a disturbance, an election apart. */
const RECOVERED_S = 30;
const ELECTED_S = 60;
const RESTARTED_MS = 2_000;
const NEXT = "0.9.1";

let cluster: Cluster;
let watch: Watch;
let next: OtherVersion;
const rows: string[] = [];

beforeAll(async () => {
  // Twenty-one processes on a shared machine.
  setPriority(5);
  needTools("haproxy", "patroni", "etcd", "ip", "nft", "/usr/lib/postgresql/15/bin/postgres");
  needGarage();
  const [missing] = await installPooler(join(import.meta.dirname, "../.."));
  if (missing) throw new Error(`${missing.program}: ${missing.why}`);
  cluster = await openCluster();
  next = await makeNextVersion(NEXT);
  watch = await watchCluster(cluster);
});
afterAll(async () => {
  console.log(
    [
      "| what happened | writes refused | writes taken again | a main job done | readiness red, then green |",
      "| --- | --- | ---: | ---: | --- |",
      ...rows,
    ].join("\n"),
  );
  await watch?.stop();
  await cluster?.close();
  await next?.remove();
});

function note(
  what: string,
  { refused, asked, writesAfterS, jobAfterS, redAfterS, greenAfterS }: Cost,
): void {
  const red =
    redAfterS === null ? "never red" : `${redAfterS.toFixed(1)} s, ${greenAfterS.toFixed(1)} s`;
  rows.push(
    `| ${what} | ${refused} of ${asked} | ${writesAfterS.toFixed(1)} s | ${jobAfterS.toFixed(1)} s | ${red} |`,
  );
}

/** Without a primary readiness is red and calls are refused; then all resumes by itself. */
function expectElected({ redAfterS, greenAfterS, writesAfterS, jobAfterS }: Cost): void {
  expect(redAfterS).not.toBeNull();
  for (const seconds of [greenAfterS, writesAfterS, jobAfterS])
    expect(seconds).toBeLessThan(ELECTED_S);
}

const randomNode = (role: Node["role"]): Node => {
  const found = cluster.nodes.filter((node) => node.role === role)[Math.floor(Math.random() * 2)];
  if (!found) throw new Error(`Expected a ${role}`);
  return found;
};

test("a killed primary is replaced by a synchronous replica", async () => {
  const primary = await cluster.patroni.primary();
  const cost = await watch.disturb(
    () => primary.kill(),
    async () => {
      primary.start();
      await cluster.patroni.settle();
    },
  );
  note("the primary is killed", cost);
  expectElected(cost);
});

test.each([
  ["each packet to and from it is dropped", "cutOff", "joinAgain"],
  ["it stands still, its connections open (SIGSTOP)", "freeze", "thaw"],
] as const)(
  "a silent primary is replaced and follows once it is back: %s",
  async (how, cut, mend) => {
    const primary = await cluster.patroni.primary();
    const cost = await watch.disturb(
      async () => primary[cut](),
      async () => {
        primary[mend]();
        await cluster.patroni.settle();
        expect((await cluster.patroni.primary()).name).not.toBe(primary.name);
      },
    );
    note(`the primary is cut off: ${how}`, cost);
    expectElected(cost);
  },
);

test("the service recovers from a killed pooler that systemd restarts", async () => {
  const cost = await watch.disturb(async () => {
    await cluster.pooler.kill();
    await sleep(RESTARTED_MS);
    cluster.pooler.start();
  });
  note("the pooler is killed, and started again after 2 s", cost);
  expect(cost.redAfterS).not.toBeNull();
  expect(cost.writesAfterS).toBeLessThan(RECOVERED_S);
});

test.each(["web", "worker"] as const)(
  "the service recovers from a killed %s process",
  async (role) => {
    const node = randomNode(role);
    const cost = await watch.disturb(async () => {
      await node.kill();
      await sleep(RESTARTED_MS);
      await node.start();
    });
    note(`a ${role} node is killed, and started again after 2 s`, cost);
    expect(cost.writesAfterS).toBeLessThan(RECOVERED_S);
    expect(cost.jobAfterS).toBeLessThan(RECOVERED_S);
  },
);

test("the service recovers from a killed node of the object store", async () => {
  const node = cluster.garage.nodes[Math.floor(Math.random() * cluster.garage.nodes.length)];
  const cost = await watch.disturb(
    async () => node?.kill(),
    async () => node?.start(),
  );
  note("a node of the store is killed", cost);
  expect(cost.writesAfterS).toBeLessThan(RECOVERED_S);
});

test.each([
  ["the next version", () => next.root, NEXT],
  ["the previous version", () => undefined, "0.9.0"],
])("the service runs on while each node is replaced by %s", async (what, root, version) => {
  const cost = await watch.disturb(async () => {
    for (const node of cluster.nodes) {
      await node.stop();
      await node.start(root());
      await waitUntil(`${node.name} is ready`, async () => (await node.readiness()) === 200, {
        said: node.said,
      });
    }
  });
  note(`each node is replaced by ${what}`, cost);
  expect(await Promise.all(cluster.nodes.map((node) => node.version()))).toEqual(
    cluster.nodes.map(() => version),
  );
});

test("no acknowledged work is lost, and every invariant holds", async () => {
  expect(await watch.lost()).toEqual([]);
  const { PUBLIC_URL: _url, ...settings } = cluster.settings;
  expect(await verifyStoreOf({ dataDir: join(cluster.folder, "web1") }, settings)).toEqual(
    EVERY_INVARIANT_HOLDS,
  );
});
