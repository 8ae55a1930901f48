import { fork } from "node:child_process";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type ApiClient, createApiClient } from "../tests/support/api-client.ts";
import { isCode } from "../tests/support/read-mail.ts";
import { type MailServer, startMailServer } from "../tests/support/start-mail-server.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { percentile } from "./percentile.ts";
import type { BenchRow } from "./row.ts";
import { samplePdf } from "./sample-pdf.ts";

const API = "/api/signature";
const SENDER = { username: "banc", email: "banc@exemple.fr", firstName: "Basile", lastName: "Étalon" };
const OTHER = { username: "foule", email: "foule@exemple.fr", firstName: "Fanny", lastName: "Foule" };
/** Codes asked for in each of the two states, one after the other. */
const CODES = 20;
/** A p95 of twenty is their slowest: of three storms it is the third slowest. */
const STORMS = 3;
const INVITED = 100;
const CROWDS = [0, 40];
/** A visitor's pages without an attack and during it, by turns: whatever else the machine does falls on both alike. */
const ROUNDS = 5;
const PAGES = 40;
const PAUSE_MS = 25;
/** Large requests come this often, whether or not the last one was answered: a flood from one line, not a closed loop. */
const LARGE_EVERY_MS = 250;
/** Small ones: twice as often as the limits (off here) let one network ask. */
const SMALL_EVERY_MS = 10;
const CONNECTIONS = 9;
const STREAMS = 100;

type World = { readonly url: string; readonly mails: MailServer };
/** `send` is done every so often; `open` gives the end of what stays open. */
type Attack = { readonly what: string } & ({ readonly everyMs: number; send(): Promise<unknown> } | { open(): () => void });

/**
 * What one person waits for while another asks too much: a guest's code while somebody sends to 100 people, without and with 40 who register, and a visitor's page during
 * each attack on the cost of a call. The limits on tries are off: nothing but the service's fairness stands between them.
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
    const anyone = createApiClient(world.url);
    await anyone.get("/api/verify-token/");
    for (const attack of attacksOn(world, anyone)) {
      pages.push({ what: attack.what, ...(await timeAttack(visitor, attack)) });
    }
    visitor.close();
    const floor = await timeFloor(join(server.dataDir, "tls", "server-key.pem"), anyone);
    return [
      ...codes.flatMap(({ crowd, ...times }) => [
        ...rowsOf(
          `a guest's code (${times.during.length}), one sender asks ${INVITED}${crowd > 0 ? ` and ${crowd} register at once` : ""}`,
          times,
        ),
        { part: "fairness", what: "the slowest of them", value: Math.max(...times.during), unit: "ms", goal: { atMost: 2_000 } },
      ]),
      ...pages.flatMap(({ what, ...times }) => rowsOf(`a visitor's page during ${what}`, times)),
      ...rowsOf("the same streams on a server of Node alone: a page", floor).map((row) => ({ ...row, goal: null })),
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

/** Times codes, by turns on a quiet service and while one sender's 100 invitations, and the registrations, are made and mailed. */
async function timeCodes(world: World, crowd: number): Promise<Times> {
  const times: { idle: number[]; during: number[] } = { idle: [], during: [] };
  for (let round = 1; round <= STORMS; round += 1) {
    const visits = await openGuests(world, `${crowd}-${round}`);
    times.idle.push(...(await timeEach(world, visits.slice(0, CODES))));
    times.during.push(...(await duringCrowd(world, { visits: visits.slice(CODES), name: `${crowd}-${round}`, crowd })));
    for (const { client } of visits) client.close();
  }
  return times;
}

/** Guests who have their invitation's page open: the code is the next thing that they ask for. */
async function openGuests(world: World, name: string): Promise<readonly story.GuestVisit[]> {
  const guests = Array.from({ length: 2 * CODES }, (_, index) => ({
    email: `attend-${name}-${index}@exemple.fr`,
    full_name: `Maëlys Œuvrard ${index}`,
  }));
  const sender = await story.logIn(world.url, SENDER.username);
  const { id } = await story.createEnvelope(sender, { title: "Banc", pdf: await samplePdf(), guests, lastPage: 1, fields: [] });
  await story.sendEnvelope(sender, id);
  sender.close();
  const visits: story.GuestVisit[] = [];
  for (const guest of guests) visits.push(await story.openInvitation(world, guest, id));
  for (const { client, path } of visits) story.expectStatus(await client.get(`${path}/guest/`), 200, "guest");
  return visits;
}

type Crowded = { readonly visits: readonly story.GuestVisit[]; readonly name: string; readonly crowd: number };

async function duringCrowd(world: World, { visits, name, crowd }: Crowded): Promise<number[]> {
  const guests = Array.from({ length: INVITED }, (_, index) => ({
    email: `foule-${name}-${index}@exemple.fr`,
    full_name: `Camille ${index}`,
  }));
  const other = await story.logIn(world.url, OTHER.username);
  const large = await story.createEnvelope(other, { title: "Foule", pdf: await samplePdf(), guests, lastPage: 1, fields: [] });
  const known = world.mails.mails.length;
  const names = Array.from({ length: crowd }, (_, index) => `arrivee-${name}-${index}`);
  const register = await gatherCrowd(world, names);
  const flood = Promise.all([story.sendEnvelope(other, large.id), register()]);
  // Of those asked once the others' mails have all left, nothing is told.
  const others = () => world.mails.mails.slice(known).filter((mail) => !isCode(mail)).length;
  const times = await timeEach(world, visits, () => others() < INVITED + crowd);
  await flood;
  while (others() < INVITED + crowd) await sleep(PAUSE_MS);
  other.close();
  return times;
}

/** Gives what has all of them send their form. */
async function gatherCrowd({ url }: World, names: readonly string[]): Promise<() => Promise<void>> {
  const worker = new Worker(new URL("./crowd.ts", import.meta.url), { workerData: { url, names } });
  await once(worker, "message");
  return async () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage("go");
    const [code] = await once(worker, "exit");
    if (code !== 0) throw new Error("Expected the crowd to register");
  };
}

async function timeEach({ mails }: World, visits: readonly story.GuestVisit[], counts: () => boolean = () => true): Promise<number[]> {
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

/** A visitor's pages without an attack and during it, by turns. */
async function timeAttack(visitor: ApiClient, attack: Attack): Promise<Times> {
  const times: { idle: number[]; during: number[] } = { idle: [], during: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    times.idle.push(...(await timePages(visitor)));
    times.during.push(...(await during(attack, () => timePages(visitor))));
  }
  return times;
}

async function timeFloor(pairFile: string, anyone: ApiClient): Promise<Times> {
  const child = fork(join(import.meta.dirname, "bare-http2.ts"), [pairFile]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const url = `https://127.0.0.1:${port}`;
  const visitor = createApiClient(url);
  const times = await timeAttack(visitor, { what: "", open: () => openUnendedStreams(url, anyone) });
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

/** Does the work while the attack goes on; what is left of it afterwards is waited for, or closed. */
async function during<T>(attack: Attack, work: () => Promise<T>): Promise<T> {
  if ("open" in attack) {
    const close = attack.open();
    return work().finally(close);
  }
  const sent: Promise<unknown>[] = [];
  const timer = setInterval(() => sent.push(attack.send().catch(() => {})), attack.everyMs);
  const result = await work();
  clearInterval(timer);
  await Promise.all(sent);
  return result;
}

function attacksOn({ url }: World, anyone: ApiClient): Attack[] {
  const bytesOf = (json: unknown) => ({ type: "application/json", bytes: new TextEncoder().encode(JSON.stringify(json)) });
  const login = bytesOf({ username: `e${"\u0301".repeat(14_000)}`, password: story.PASSWORD, remember_me: false });
  const members = bytesOf(Object.fromEntries(Array.from({ length: 170_000 }, (_, index) => [`k${index}`, 1])));
  const headers = { "idempotency-key": "la-meme-clef-pour-tous" };
  return [
    {
      what: "28 kB of accents to login, four times a second",
      everyMs: LARGE_EVERY_MS,
      send: () => anyone.post("/api/token/", { raw: login }),
    },
    { what: `${CONNECTIONS * STREAMS} bodies never ended, ${CONNECTIONS} HTTP/2 connections`, open: () => openUnendedStreams(url, anyone) },
    {
      what: "170,000 unknown keys, four times a second",
      everyMs: LARGE_EVERY_MS,
      send: () => anyone.post("/api/token/", { raw: members }),
    },
    {
      what: "100 requests a second with one Idempotency-Key",
      everyMs: SMALL_EVERY_MS,
      send: () => anyone.post(`${API}/register/`, { json: {}, headers }),
    },
  ];
}

/** Opens streams that begin a body and do not end it, and gives what closes them. A connection that the service has closed is opened again. */
function openUnendedStreams(url: string, { cookies }: ApiClient): () => void {
  let closing = false;
  const sessions = new Set<ReturnType<typeof connectHttp2>>();
  const headers = {
    ":method": "POST",
    ":path": "/api/token/",
    "content-type": "application/json",
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "x-csrftoken": cookies.get("csrftoken") ?? "",
  };
  const open = () => {
    const session = connectHttp2(url, { rejectUnauthorized: false });
    sessions.add(session);
    session.on("error", () => {});
    session.once("close", () => {
      sessions.delete(session);
      if (!closing) setTimeout(open, LARGE_EVERY_MS);
    });
    for (let stream = 1; stream <= STREAMS; stream += 1) {
      const begun = session.request(headers, { endStream: false });
      begun.on("error", () => {});
      begun.resume();
      begun.write('{"username":"');
    }
  };
  for (let connection = 1; connection <= CONNECTIONS; connection += 1) open();
  return () => {
    closing = true;
    for (const session of sessions) session.destroy();
  };
}
