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
/** Codes asked for in each of the two states. */
const CODES = 20;
const CROWD = 100;
const REGISTRATIONS = 40;
/** A visitor's pages before, and during each attack; a page every so often. */
const PAGES = 60;
const PAUSE_MS = 50;
/** Each attack is begun anew this often, whether or not the last one was answered: a flood from one line, not a closed loop. */
const ATTACK_EVERY_MS = 250;

type World = { readonly url: string; readonly mails: MailServer };
type Attack = { readonly what: string; begin(): Promise<unknown> };

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
    for (const attack of attacksOn(world)) {
      const idle = await timePages(visitor);
      pages.push({ what: attack.what, idle, during: await during(attack, () => timePages(visitor)) });
    }
    visitor.close();
    return [
      ...rowsOf("another guest's code, from the request to the mail", codes),
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
    row(`${what}, p95, idle before`, idleMs, "ms", null),
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
  const flood = Promise.all([
    story.sendEnvelope(other, large.id),
    ...Array.from({ length: REGISTRATIONS }, (_, index) => register(world, index)),
  ]);
  const busy = await timeEach(world, visits.slice(CODES));
  await flood;
  for (const { client } of [...visits, { client: sender }, { client: other }]) client.close();
  return { idle, during: busy };
}

async function timeEach({ mails }: World, visits: readonly story.GuestVisit[]): Promise<number[]> {
  const times: number[] = [];
  for (const { client, path, email } of visits) {
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

/** Does the work while the attack is begun again and again, then waits for what is left of it. */
async function during<T>(attack: Attack, work: () => Promise<T>): Promise<T> {
  const begun: Promise<unknown>[] = [];
  const begin = () => begun.push(attack.begin().catch(() => {}));
  begin();
  const timer = setInterval(begin, ATTACK_EVERY_MS);
  const result = await work();
  clearInterval(timer);
  await Promise.all(begun);
  return result;
}

function attacksOn({ url }: World): Attack[] {
  const anyone = createApiClient(url);
  const primed = anyone.get("/api/verify-token/");
  const post = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    await primed;
    return anyone.post(path, { json, headers });
  };
  const login = { username: `e${"\u0301".repeat(14_000)}`, password: story.PASSWORD, remember_me: false };
  const members = Object.fromEntries(Array.from({ length: 170_000 }, (_, index) => [`k${index}`, 1]));
  return [
    { what: "28 kB of combining accents to login (A1)", begin: () => post("/api/token/", login) },
    {
      what: "100 bodies never ended on one HTTP/2 connection (A2)",
      begin: () => primed.then(() => openUnendedStreams(url, anyone.cookies)),
    },
    { what: "170,000 unknown keys (A4)", begin: () => post("/api/token/", members) },
    {
      what: "100 requests with one Idempotency-Key (A5)",
      begin: () =>
        Promise.all(Array.from({ length: 100 }, () => post(`${API}/register/`, {}, { "idempotency-key": "la-meme-clef-pour-tous" }))),
    },
  ];
}

/** Opens 100 streams that begin a body and do not end it; resolves when the service has closed them. */
function openUnendedStreams(url: string, cookies: ReadonlyMap<string, string>): Promise<unknown> {
  const session = connectHttp2(url, { rejectUnauthorized: false });
  session.on("error", () => {});
  const headers = {
    ":method": "POST",
    ":path": "/api/token/",
    "content-type": "application/json",
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "x-csrftoken": cookies.get("csrftoken") ?? "",
  };
  const streams = Array.from({ length: 100 }, () => {
    const stream = session.request(headers, { endStream: false });
    stream.on("error", () => {});
    stream.resume();
    stream.write('{"username":"');
    return new Promise((resolve) => stream.once("close", resolve));
  });
  return Promise.all(streams).finally(() => session.destroy());
}
