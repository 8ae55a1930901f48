import { connect as connectHttp2 } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
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
const CROWD = 100;
const REGISTRATIONS = 40;
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
 * What one person waits for while another asks too much: a guest's code while somebody sends to 100 people and 40 register, and a visitor's page during
 * each attack on the cost of a call. The limits on tries are off: nothing but the service's fairness stands between them.
 */
export async function benchFairness(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const world: World = { url: server.url, mails };
  try {
    await story.registerPerson(world, SENDER);
    await story.registerPerson(world, OTHER);
    const codes = await timeCodes(world);
    const visitor = createApiClient(world.url);
    const pages = [];
    for (const attack of await attacksOn(world)) {
      const times: { idle: number[]; during: number[] } = { idle: [], during: [] };
      for (let round = 1; round <= ROUNDS; round += 1) {
        times.idle.push(...(await timePages(visitor)));
        times.during.push(...(await during(attack, () => timePages(visitor))));
      }
      pages.push({ what: attack.what, ...times });
    }
    visitor.close();
    return [
      ...rowsOf(`another guest's code (${codes.during.length} asked while mails to ${CROWD + REGISTRATIONS} others left)`, codes),
      { part: "fairness", what: "the slowest of them", value: Math.max(...codes.during), unit: "ms", goal: { atMost: 2_000 } },
      ...pages.flatMap(({ what, ...times }) => rowsOf(`a visitor's page during ${what}`, times)),
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

/** Times codes on a quiet service, then while one sender's 100 invitations and 40 registrations wait in the outbox. */
async function timeCodes(world: World): Promise<Times> {
  const pdf = await samplePdf();
  const guests = Array.from({ length: 2 * CODES }, (_, index) => ({
    email: `attend-${index}@exemple.fr`,
    full_name: `Maëlys Œuvrard ${index}`,
  }));
  const sender = await story.logIn(world.url, SENDER.username);
  const { id } = await story.createEnvelope(sender, { title: "Banc", pdf, guests, lastPage: 1, fields: [] });
  await story.sendEnvelope(sender, id);
  const visits: story.GuestVisit[] = [];
  for (const guest of guests) visits.push(await story.openInvitation(world, guest, id));
  const idle = await timeEach(world, visits.slice(0, CODES));

  const crowd = Array.from({ length: CROWD }, (_, index) => ({ email: `foule-${index}@exemple.fr`, full_name: `Camille Foule ${index}` }));
  const other = await story.logIn(world.url, OTHER.username);
  const large = await story.createEnvelope(other, { title: "Foule", pdf, guests: crowd, lastPage: 1, fields: [] });
  const known = world.mails.mails.length;
  const flood = Promise.all([
    story.sendEnvelope(other, large.id),
    ...Array.from({ length: REGISTRATIONS }, (_, index) => register(world, index)),
  ]);
  // Of those asked once the others' mails have all left, nothing is told.
  const others = () => world.mails.mails.slice(known).filter((mail) => !isCode(mail)).length;
  const busy = await timeEach(world, visits.slice(CODES), () => others() < CROWD + REGISTRATIONS);
  await flood;
  for (const { client } of [...visits, { client: sender }, { client: other }]) client.close();
  return { idle, during: busy };
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

async function register({ url }: World, index: number): Promise<void> {
  const client = createApiClient(url);
  await client.get("/api/verify-token/");
  const form = new FormData();
  const fields = {
    username: `arrivee${index}`,
    email: `arrivee-${index}@exemple.fr`,
    password: story.PASSWORD,
    first_name: "Ana",
    last_name: "Arrivée",
    birth_date: "1984-02-29",
  };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  story.expectStatus(await client.post(`${API}/register/`, { form }), 201, "register");
  client.close();
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

async function attacksOn({ url }: World): Promise<Attack[]> {
  const anyone = createApiClient(url);
  await anyone.get("/api/verify-token/");
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
