import { setTimeout as sleep } from "node:timers/promises";
import { openStream, type TestStream } from "../../../apps/server/testing/live-stream.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { makeContract } from "../../support/make-contract.ts";
import * as story from "../../support/story.ts";
import type { Cluster } from "./open-cluster.ts";
import { personOf } from "../../support/of-this-worker.ts";

const API = "/api/signature";
const PAUSE_MS = 250;
/** Writes in a row that end a disturbance. */
const STEADY = 8;
const DOCUMENTS = 12;
const LONGEST_MS = 150_000;
const OWNER = personOf("zoe", "Zoé Aubry");

/** Cost of one disturbance, in seconds from its beginning. */
export type Cost = {
  readonly refused: number;
  readonly asked: number;
  /** First write accepted after the last refusal; 0 without a refusal. */
  readonly writesAfterS: number;
  /** End of the first main job begun since: create, send, mail, code, signature. */
  readonly jobAfterS: number;
  /** First node not ready, and last one ready again; null when all stayed ready. */
  readonly redAfterS: number | null;
  readonly greenAfterS: number;
};

type Write = { readonly begun: number; readonly ended: number; readonly taken: boolean };
/** What the service has acknowledged. */
type Job = {
  readonly id: string;
  readonly begun: number;
  sent: boolean;
  signed: boolean;
  ended: number;
};

/** Load during the faults: a writer at 4 Hz, a sender with a guest, a batch, an open page. */
export type Watch = {
  /** Disturbs the cluster and waits for recovery. Errors: throws what is not as before. */
  disturb(disturbance: () => Promise<void>, mend?: () => Promise<void>): Promise<Cost>;
  /** Acknowledged work that is missing, once the load has stopped. */
  lost(): Promise<readonly string[]>;
  stop(): Promise<void>;
};

export async function watchCluster(cluster: Cluster): Promise<Watch> {
  const world = { url: cluster.url, mails: cluster.mails };
  await story.registerPerson(world, OWNER);
  const owner = await story.logIn(cluster.url, OWNER.username);
  const contract = await makeContract("1");
  const [writes, jobs, red]: [Write[], Job[], number[]] = [[], [], []];
  const batches: string[] = [];
  let names = { tried: 0, taken: 0 };
  let [isOver, pages]: [boolean, TestStream | null] = [false, null];
  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await work().catch(() => {});
      await sleep(PAUSE_MS);
    }
  };
  const running = [
    repeat(async () => {
      const begun = performance.now();
      names = { ...names, tried: names.tried + 1 };
      const { tried } = names;
      const answer = await owner
        .patch(`${API}/me/`, { json: { first_name: `Zoé ${tried}` } })
        .catch(() => null);
      writes.push({ begun, ended: performance.now(), taken: answer?.status === 200 });
      if (answer?.status === 200) names = { ...names, taken: tried };
    }),
    repeat(() => doMainJob(world, { owner, contract, jobs })),
    repeat(async () => {
      const codes = await Promise.all(cluster.nodes.map((node) => node.readiness()));
      if (codes.some((code) => code !== 200)) red.push(performance.now());
    }),
    repeat(async () => {
      if (pages === null || pages.hasEnded()) pages = await openPage(cluster.url, owner);
    }),
  ];
  const isSteady = (since: number): boolean => {
    const last = writes.slice(-STEADY);
    const isGreen = performance.now() - (red.at(-1) ?? since) > STEADY * PAUSE_MS;
    return (
      last.length === STEADY &&
      last.every(({ taken, begun }) => taken && begun > since) &&
      isGreen &&
      jobSince(jobs, since) !== undefined
    );
  };
  return {
    async disturb(disturbance, mend = async () => {}) {
      batches.push(await story.signBatch(owner, contract, DOCUMENTS));
      const since = performance.now();
      await disturbance();
      const limit = since + LONGEST_MS;
      while (!isSteady(since) && performance.now() < limit) await sleep(PAUSE_MS);
      if (!isSteady(since))
        throw new Error(
          `Not as before within ${LONGEST_MS / 1_000} s:\n${cluster.nodes.map(({ name, said }) => `${name}: ${said().slice(-1_500)}`).join("\n")}`,
        );
      const cost = costOf({ writes, jobs, red }, since);
      await mend();
      await heardSince(owner, () => pages);
      return cost;
    },
    async lost() {
      isOver = true;
      await Promise.all(running);
      return findLost(owner, { jobs, batches, names });
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
      pages?.close();
      owner.close();
    },
  };
}

/** One main job; `job` notes each answer as it comes. */
async function doMainJob(
  world: story.World,
  {
    owner,
    contract,
    jobs,
  }: { readonly owner: ApiClient; readonly contract: Uint8Array; readonly jobs: Job[] },
): Promise<void> {
  const guest = {
    email: `luc${jobs.length}-${Math.round(performance.now())}@exemple.fr`,
    full_name: "Luc Aubry",
  };
  const begun = performance.now();
  const { id } = await story.createEnvelope(owner, {
    title: "Bail",
    pdf: contract,
    guests: [guest],
  });
  const job: Job = { id, begun, sent: false, signed: false, ended: 0 };
  jobs.push(job);
  await story.sendEnvelope(owner, id);
  job.sent = true;
  const visit = await story.openInvitation(world, guest, id);
  try {
    await story.confirmGuest(world, visit);
    await story.signAsGuest(visit, story.typed("Luc Aubry"));
    job.signed = true;
    job.ended = performance.now();
  } finally {
    visit.client.close();
  }
}

const jobSince = (jobs: readonly Job[], since: number): Job | undefined =>
  jobs.find(({ begun, signed }) => signed && begun > since);

function costOf(
  { writes, jobs, red }: { writes: readonly Write[]; jobs: readonly Job[]; red: readonly number[] },
  since: number,
): Cost {
  const asked = writes.filter(({ ended }) => ended > since);
  const lastRefused = asked.findLastIndex(({ taken }) => !taken);
  const seconds = (at: number | undefined): number => Math.max(0, ((at ?? since) - since) / 1_000);
  const reds = red.filter((at) => at > since);
  return {
    asked: asked.length,
    refused: asked.filter(({ taken }) => !taken).length,
    writesAfterS: lastRefused < 0 ? 0 : seconds(asked[lastRefused + 1]?.ended),
    jobAfterS: seconds(jobSince(jobs, since)?.ended),
    redAfterS: reds.length > 0 ? seconds(reds[0]) : null,
    greenAfterS: seconds(reds.at(-1)),
  };
}

function openPage(url: string, owner: ApiClient): Promise<TestStream> {
  return openStream(url, {
    cookies: new Map([...owner.cookies].map(([name, value]) => [name, { value }])),
  });
}

/** Waits for a live event of what is done now, the page reconnected or not. */
async function heardSince(owner: ApiClient, pages: () => TestStream | null): Promise<void> {
  const id = await story.sendContract(owner, "Avenant", [
    { email: "mia@exemple.fr", full_name: "Mia Aubry" },
  ]);
  for (
    const limit = performance.now() + 30_000;
    !pages()?.text().includes(`"id":"${id}"`);
    await sleep(PAUSE_MS)
  )
    if (performance.now() > limit) throw new Error("The open page was told nothing");
}

type Said = {
  readonly jobs: readonly Job[];
  readonly batches: readonly string[];
  readonly names: { readonly tried: number; readonly taken: number };
};

async function findLost(
  owner: ApiClient,
  { jobs, batches, names }: Said,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const { id, sent, signed } of jobs) {
    const wanted = signed
      ? ["completed"]
      : sent
        ? ["sent", "in_progress", "completed"]
        : ["draft", "sent", "in_progress", "completed"];
    const { status, json } = await settled(
      () => owner.get(`${API}/envelopes/${id}/`),
      ({ json: found }) => wanted.includes(found?.status),
    );
    if (status !== 200 || !wanted.includes(json.status))
      lost.push(`envelope ${id}: ${wanted[0]} was acknowledged, ${status} ${json?.status} met`);
  }
  for (const id of batches) {
    const { json } = await settled(
      () => owner.get(`${API}/batch-jobs/${id}/`),
      ({ json: found }) => found?.status === "completed",
    );
    if (json.status !== "completed" || json.done !== DOCUMENTS)
      lost.push(`batch ${id}: ${json.status}, ${json.done} of ${DOCUMENTS}`);
  }
  const { json } = await owner.get(`${API}/me/`);
  const number = Number(String(json.user.first_name).split(" ")[1]);
  if (number < names.taken) lost.push(`write ${names.taken} was acknowledged, ${number} met`);
  return lost;
}

/** Accepted work may still be in progress. */
async function settled(
  ask: () => Promise<ApiAnswer>,
  isSo: (answer: ApiAnswer) => boolean,
): Promise<ApiAnswer> {
  for (const limit = performance.now() + 60_000; ; await sleep(PAUSE_MS)) {
    const answer = await ask();
    if (isSo(answer) || performance.now() > limit) return answer;
  }
}
