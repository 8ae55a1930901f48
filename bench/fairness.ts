import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type ApiClient, createApiClient } from "../tests/support/api-client.ts";
import { type MailServer, isCode, startMailServer } from "../tests/support/start-mail-server.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { type BenchRow, percentile } from "./figures.ts";
import { samplePdf } from "./sample-files.ts";

export const CONNECTIONS = 9;
export const STREAMS = 100;

const ATTACK_NAMES = {
  accents: "28 kB of accents to login, four times a second",
  streams: `${CONNECTIONS * STREAMS} bodies never ended, ${CONNECTIONS} HTTP/2 connections`,
  members: "170,000 unknown keys, four times a second",
  key: "100 requests a second with one Idempotency-Key",
} as const;
export type AttackName = keyof typeof ATTACK_NAMES;

const SENDER = {
  username: "banc",
  email: "banc@exemple.fr",
  firstName: "Basile",
  lastName: "Étalon",
};
const OTHER = {
  username: "foule",
  email: "foule@exemple.fr",
  firstName: "Fanny",
  lastName: "Foule",
};
const CODES = 20;
/** A p95 of twenty is the slowest; of three storms, the third slowest. */
const STORMS = 3;
const INVITED = 100;
const CROWDS = [0, 40];
const ROUNDS = 5;
const PAGES = 40;
const PAUSE_MS = 25;
type World = { readonly url: string; readonly mails: MailServer };
/**
 * A guest's code beside an envelope for 100 people and 40 registrations; a visitor's page beside
 * each attack. Without rate limits.
 */
export async function benchFairness(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const world: World = { url: server.url, mails };
  try {
    await story.registerPerson(world, SENDER);
    await story.registerPerson(world, OTHER);
    const codes = [];
    for (const crowd of CROWDS) codes.push({ crowd, ...(await timeCodes(world, crowd)) });
    const visitor = createApiClient(world.url);
    const pages = [];
    for (const [name, what] of Object.entries(ATTACK_NAMES) as [AttackName, string][]) {
      pages.push({
        what,
        ...(await timeAttack(visitor, { url: world.url, tokenFrom: world.url, name })),
      });
    }
    visitor.close();
    const floor = await timeFloor(join(server.dataDir, "tls", "server-key.pem"), world.url);
    return [
      ...codes.flatMap(({ crowd, ...times }) => [
        ...rowsOf(
          `a guest's code (${times.during.length}), one sender asks ${INVITED}${crowd > 0 ? ` and ${crowd} register at once` : ""}`,
          times,
        ),
        {
          part: "fairness",
          what: "the slowest of them",
          value: Math.max(...times.during),
          unit: "ms",
          goal: { atMost: 2_000 },
        },
      ]),
      ...pages.flatMap(({ what, ...times }) => rowsOf(`a visitor's page during ${what}`, times)),
      ...rowsOf("the same streams on a server of Node alone: a page", floor).map((row) => ({
        ...row,
        goal: null,
      })),
    ];
  } finally {
    await server.close();
    await mails.close();
  }
}

type Times = { readonly idle: readonly number[]; readonly during: readonly number[] };

function rowsOf(what: string, { idle, during: busy }: Times): BenchRow[] {
  const [idleMs, busyMs] = [percentile(idle, 0.95), percentile(busy, 0.95)];
  const row = (of: string, value: number, unit: string, goal: BenchRow["goal"]): BenchRow => ({
    part: "fairness",
    what: of,
    value,
    unit,
    goal,
  });
  return [
    row(`${what}, p95, idle`, idleMs, "ms", null),
    row(`${what}, p95`, busyMs, "ms", { atMost: 1_000 }),
    row("the second against the first", busyMs / idleMs, "×", { atMost: 2 }),
  ];
}

/** Times codes by turns, on a quiet service and during invitations and registrations. */
async function timeCodes(world: World, crowd: number): Promise<Times> {
  const times: { idle: number[]; during: number[] } = { idle: [], during: [] };
  for (let round = 1; round <= STORMS; round += 1) {
    const visits = await openGuests(world, `${crowd}-${round}`);
    times.idle.push(...(await timeEach(world, visits.slice(0, CODES))));
    times.during.push(
      ...(await duringCrowd(world, {
        visits: visits.slice(CODES),
        name: `${crowd}-${round}`,
        crowd,
      })),
    );
    for (const { client } of visits) client.close();
  }
  return times;
}

async function openGuests(world: World, name: string): Promise<readonly story.GuestVisit[]> {
  const guests = Array.from({ length: 2 * CODES }, (_, index) => ({
    email: `attend-${name}-${index}@exemple.fr`,
    full_name: `Maëlys Œuvrard ${index}`,
  }));
  const sender = await story.logIn(world.url, SENDER.username);
  const { id } = await story.createEnvelope(sender, {
    title: "Banc",
    pdf: await samplePdf(),
    guests,
    lastPage: 1,
    fields: [],
  });
  await story.sendEnvelope(sender, id);
  sender.close();
  const visits: story.GuestVisit[] = [];
  for (const guest of guests) visits.push(await story.openInvitation(world, guest, id));
  for (const { client, path } of visits)
    story.expectStatus(await client.get(`${path}/guest/`), 200, "guest");
  return visits;
}

type Crowded = {
  readonly visits: readonly story.GuestVisit[];
  readonly name: string;
  readonly crowd: number;
};

async function duringCrowd(world: World, { visits, name, crowd }: Crowded): Promise<number[]> {
  const guests = Array.from({ length: INVITED }, (_, index) => ({
    email: `foule-${name}-${index}@exemple.fr`,
    full_name: `Camille ${index}`,
  }));
  const other = await story.logIn(world.url, OTHER.username);
  const large = await story.createEnvelope(other, {
    title: "Foule",
    pdf: await samplePdf(),
    guests,
    lastPage: 1,
    fields: [],
  });
  const known = world.mails.mails.length;
  const names = Array.from({ length: crowd }, (_, index) => `arrivee-${name}-${index}`);
  const register = await gatherCrowd(world, names);
  const flood = Promise.all([story.sendEnvelope(other, large.id), register()]);
  // Codes after the last mail do not count.
  const others = () => world.mails.mails.slice(known).filter((mail) => !isCode(mail)).length;
  const times = await timeEach(world, visits, () => others() < INVITED + crowd);
  await flood;
  while (others() < INVITED + crowd) await sleep(PAUSE_MS);
  other.close();
  return times;
}

async function gatherCrowd({ url }: World, names: readonly string[]): Promise<() => Promise<void>> {
  const worker = new Worker(new URL("./crowd.ts", import.meta.url), { workerData: { url, names } });
  await once(worker, "message");
  return async () => {
    worker.postMessage("go");
    const [code] = await once(worker, "exit");
    if (code !== 0) throw new Error("Expected the crowd to register");
  };
}

async function timeEach(
  { mails }: World,
  visits: readonly story.GuestVisit[],
  counts: () => boolean = () => true,
): Promise<number[]> {
  const times: number[] = [];
  for (const { client, path, email } of visits) {
    if (!counts()) break;
    const started = performance.now();
    story.expectStatus(await client.post(`${path}/send_otp/`, { json: {} }), 200, "send_otp");
    while (!mails.mails.some((mail) => mail.to.includes(email) && isCode(mail))) await sleep(5);
    times.push(performance.now() - started);
  }
  return times;
}

type Attack = { readonly url: string; readonly tokenFrom: string; readonly name: AttackName };

async function timeAttack(visitor: ApiClient, attack: Attack): Promise<Times> {
  const thread = new Worker(new URL("./attacks.ts", import.meta.url), { workerData: attack });
  await once(thread, "message");
  const tell = (word: string) => {
    thread.postMessage(word);
    return once(thread, "message");
  };
  const times: { idle: number[]; during: number[] } = { idle: [], during: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    times.idle.push(...(await timePages(visitor)));
    await tell("go");
    times.during.push(...(await timePages(visitor)));
    await tell("stop");
  }
  await thread.terminate();
  return times;
}

async function timeFloor(pairFile: string, tokenFrom: string): Promise<Times> {
  const child = fork(join(import.meta.dirname, "bare-http2.ts"), [pairFile]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const url = `https://127.0.0.1:${port}`;
  const visitor = createApiClient(url);
  const times = await timeAttack(visitor, { url, tokenFrom, name: "streams" });
  visitor.close();
  child.kill();
  return times;
}

async function timePages(visitor: ApiClient): Promise<number[]> {
  const times: number[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const started = performance.now();
    story.expectStatus(await visitor.get("/login"), 200, "page");
    times.push(performance.now() - started);
    await sleep(PAUSE_MS);
  }
  return times;
}
