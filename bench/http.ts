import { randomUUID } from "node:crypto";
import { type ApiClient, createApiClient } from "../tests/support/api-client.ts";
import { makePdfOfSize } from "../tests/support/make-contract.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { type MailServer, startMailServer } from "../tests/support/start-mail-server.ts";
import { type RunningServer, startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import {
  type BenchRow,
  measureCpuFloorMs,
  percentile,
  readCpuShares,
  readMemoryMb,
  type Share,
} from "./figures.ts";
import { samplePdf } from "./sample-files.ts";

const WARM_UP = 8;
const ENVELOPES = 40;
const SHARES: readonly (readonly [Share, string])[] = [
  ["server", "the server process (HTTP, TLS, queries, mails)"],
  ["database", "PostgreSQL"],
  ["sandbox", "the PDF sandbox"],
];
const PERSON = {
  username: "banc",
  email: "banc@exemple.fr",
  firstName: "Basile",
  lastName: "Étalon",
};

/** Envelopes of fresh files with mailed codes over HTTP and SMTP, from creation to completion. */
export async function benchHttp(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const world = { url: server.url, mails };
  const pdf = await samplePdf();
  try {
    await story.registerPerson(world, PERSON);
    const sender = await story.logIn(server.url, PERSON.username);
    const database = await openDatabase(server.dataDir);
    const idleMb = await readMemoryMb(server.pid, server.dataDir);
    const complete = completer(world, { sender, pdf });
    const transactions = async () => {
      const [row] = await database.query<{ count: string }>(
        "select xact_commit as count from pg_stat_database where datname = current_database()",
      );
      return Number(row?.count ?? 0);
    };
    for (let index = 0; index < WARM_UP; index += 1) await complete.two();
    const committed = await transactions();
    const floors = [measureCpuFloorMs()];
    const two = await measure(server, { clients: 1, times: ENVELOPES }, complete.two);
    floors.push(measureCpuFloorMs());
    const perEnvelope = ((await transactions()) - committed) / ENVELOPES;
    const four = await measure(server, { clients: 4, times: ENVELOPES }, complete.two);
    const loadedMb = await readMemoryMb(server.pid, server.dataDir);
    const one = await measure(server, { clients: 1, times: ENVELOPES }, complete.one);
    floors.push(measureCpuFloorMs());
    const alone = await measureOwnDocuments(server, sender, pdf);
    floors.push(measureCpuFloorMs());
    // One measurement varies by a sixth.
    const floorMs = floors.reduce((sum, one) => sum + one, 0) / floors.length;
    const answers = await benchAnswers(server, world, { sender, pdf });
    const large = await benchLargeEnvelope(server, world, sender);
    await database.close();
    await server.stop();
    const cores = await benchTwoProcesses(server.dataDir, mails, pdf);
    return [
      ...cpuRows("one-guest envelope of 50 KB", one, floorMs, 230),
      ...cpuRows("two-guest envelope of 50 KB", two, floorMs, 380),
      ...cpuRows("B-LTA self-sign of 50 KB", alone, floorMs, 110),
      row("floor in the same run (hash of 50 KB, P-256 signature, write), CPU", [floorMs, "ms"]),
      row(
        "one-guest envelope against one’s own document, wall time (p50)",
        [one.p50 / alone.p50, "×"],
        { atMost: 1.8 },
      ),
      row("wall time of `sign/`, 1 client (p50)", [percentile(complete.signMs, 0.5), "ms"], {
        atMost: 60,
      }),
      row("two-guest envelopes a second, 1 client", [two.perSecond, "/s"], { atLeast: 8 }),
      row("two-guest envelopes a second, 4 clients", [four.perSecond, "/s"], { atLeast: 14 }),
      ...cores,
      row("transactions of a two-guest envelope", [perEnvelope, ""]),
      row("memory, idle, database included", [idleMb, "MB"], { atMost: 250 }),
      row(`memory after ${WARM_UP + 2 * ENVELOPES} envelopes`, [loadedMb, "MB"], { atMost: 350 }),
      ...answers,
      ...large,
    ];
  } finally {
    await server.close();
    await mails.close();
  }
}

const row = (
  what: string,
  [value, unit]: readonly [value: number, unit: string],
  goal: BenchRow["goal"] = null,
): BenchRow => ({ part: "http", what, value, unit, goal });

function cpuRows(what: string, measured: Measured, floorMs: number, atMost: number): BenchRow[] {
  return [
    row(`${what}, whole service, CPU`, [measured.cpuMs, "ms"]),
    ...SHARES.map(([share, whose]) => row(`of which ${whose}`, [measured.cpu[share], "ms"])),
    row("the same against the floor", [measured.cpuMs / floorMs, "×"], { atMost }),
    row("the same, wall time, 1 client (p50)", [measured.p50, "ms"]),
  ];
}

const distinct = (pdf: Uint8Array, number: number) =>
  new Uint8Array(Buffer.concat([pdf, Buffer.from(`%${number}-${performance.now()}\n`)]));

type Sender = { readonly sender: ApiClient; readonly pdf: Uint8Array };

function completer(world: story.World, { sender, pdf }: Sender) {
  let number = 0;
  const run = randomUUID();
  const signMs: number[] = [];
  const complete = async (count: number): Promise<number> => {
    number += 1;
    const guests = Array.from({ length: count }, (_, guest) => ({
      email: `invite-${guest}-${number}@${run}.exemple.fr`,
      full_name: `Maëlys Œuvrard ${guest}`,
    }));
    const file = distinct(pdf, number);
    const started = performance.now();
    const { id } = await story.createEnvelope(sender, {
      title: `Banc ${number}`,
      pdf: file,
      guests,
      lastPage: 1,
    });
    await story.sendEnvelope(sender, id);
    for (const guest of guests) {
      const visit = await story.openInvitation(world, guest, id);
      await story.confirmGuest(world, visit);
      const post: ApiClient["post"] = async (path, options) => {
        const before = performance.now();
        const answer = await visit.client.post(path, options);
        signMs.push(performance.now() - before);
        return answer;
      };
      await story.signAsGuest({ ...visit, client: { ...visit.client, post } }, story.DRAWN);
      visit.client.close();
    }
    return performance.now() - started;
  };
  return { one: () => complete(1), two: () => complete(2), signMs };
}

const LARGE_WARM_UP = 2;
const LARGE_ENVELOPES = 6;
/** A megabyte is 2^20 bytes here; a little less than an upload may have. */
const LARGE_BYTES = 10 * 1_024 * 1_024 - 1_024;

/** Envelopes of two guests with another file of nearly 10 MB each. */
async function benchLargeEnvelope(
  server: RunningServer,
  world: story.World,
  sender: ApiClient,
): Promise<BenchRow[]> {
  const { two } = completer(world, { sender, pdf: makePdfOfSize(LARGE_BYTES) });
  for (let index = 0; index < LARGE_WARM_UP; index += 1) await two();
  const { cpuMs, cpu, p50 } = await measure(server, { clients: 1, times: LARGE_ENVELOPES }, two);
  return [
    row("two-guest envelope of 10 MB, whole service, CPU", [cpuMs, "ms"], { atMost: 1_000 }),
    ...SHARES.map(([share, whose]) => row(`of which ${whose}`, [cpu[share], "ms"])),
    row("the same, wall time, 1 client (p50)", [p50, "ms"], { atMost: 1_200 }),
  ];
}

/** Calls take turns, in both orders, so that a noisy minute or a neighbour falls on all of them. */
const [ROUNDS, ANSWERS] = [40, 40];

async function benchAnswers(
  server: RunningServer,
  world: story.World,
  { sender, pdf }: Sender,
): Promise<BenchRow[]> {
  const guest = { email: "imprime@exemple.fr", full_name: "Maëlys Œuvrard" };
  const { id } = await story.createEnvelope(sender, {
    title: "Banc imprimé",
    pdf,
    guests: [guest],
    lastPage: 1,
  });
  await story.sendEnvelope(sender, id);
  await story.signInvitation(world, guest, id);
  const { proof_url: proof } = await story.makePrintOf(sender, id, "page");
  const anybody = createApiClient(server.url);
  await anybody.get("/api/verify-token/");
  const asked = { name: "Banc", scopes: ["envelopes:read"], days: null };
  const made = await sender.post("/api/signature/me/keys/", { json: asked });
  const headers = { authorization: `Bearer ${story.expectStatus(made, 201, "key").json.secret}` };
  const program = createApiClient(server.url);
  const LIST = "/api/signature/envelopes/?status=completed";
  const wrong = { username: PERSON.username, password: "pas-le-bon-1852", remember_me: false };
  const answers = {
    "a list by session": [200, () => sender.get(LIST), null],
    "the same list by key": [200, () => program.get(LIST, { headers }), null],
    "public proof, again": [200, () => anybody.get(proof.replace("/proof/", "/verify/")), 8],
    "preuve.json, again": [200, () => anybody.get(proof), 8],
    "wrong login": [401, () => anybody.post("/api/token/", { json: wrong }), 35],
  } as const;
  const spent = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    const turns = Object.entries(answers);
    for (const [what, [status, ask]] of round % 2 === 0 ? turns : turns.reverse()) {
      const once = async () => {
        const started = performance.now();
        story.expectStatus(await ask(), status, what);
        return performance.now() - started;
      };
      const { cpuMs } = await measure(server, { clients: 1, times: ANSWERS }, once);
      // The first round warms up.
      if (round > 0) spent.set(what, (spent.get(what) ?? 0) + cpuMs / ROUNDS);
    }
  }
  anybody.close();
  program.close();
  return Object.entries(answers).map(([what, [, , atMost]]) =>
    row(
      `${what}, whole service, CPU`,
      [spent.get(what) ?? Number.NaN, "ms"],
      atMost === null ? null : { atMost },
    ),
  );
}

/** Four clients again, once another start shares the port between two web processes. */
async function benchTwoProcesses(
  dataDir: string,
  mails: MailServer,
  pdf: Uint8Array,
): Promise<BenchRow[]> {
  const env = { SMTP_URL: mails.url, RATE_LIMITS: "off", WEB_PROCESSES: "2" };
  const server = await startServer({ dataDir, env });
  try {
    const sender = await story.logIn(server.url, PERSON.username);
    const { two } = completer({ url: server.url, mails }, { sender, pdf });
    for (let index = 0; index < 2 * WARM_UP; index += 1) await two();
    const seen = await measure(server, { clients: 4, times: ENVELOPES }, two);
    const memoryMb = await readMemoryMb(server.pid, dataDir);
    return [
      row("two-guest envelopes a second, 4 clients, WEB_PROCESSES=2", [seen.perSecond, "/s"]),
      ...SHARES.map(([share, whose]) => row(`of which ${whose}, CPU`, [seen.cpu[share], "ms"])),
      row("memory after them, database included", [memoryMb, "MB"]),
    ];
  } finally {
    await server.stop();
  }
}

type Measured = {
  readonly perSecond: number;
  readonly cpu: Readonly<Record<Share, number>>;
  readonly cpuMs: number;
  readonly p50: number;
};

async function measure(
  { pid, dataDir }: RunningServer,
  { clients, times }: { readonly clients: number; readonly times: number },
  once: () => Promise<number>,
): Promise<Measured> {
  const before = await readCpuShares(pid, dataDir);
  const startedAt = performance.now();
  const taken: number[] = [];
  let begun = 0;
  const work = async () => {
    while (begun < times) {
      begun += 1;
      taken.push(await once());
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await readCpuShares(pid, dataDir);
  const spent = (share: Share): number => ((after[share] - before[share]) * 1_000) / taken.length;
  const cpu = { server: spent("server"), sandbox: spent("sandbox"), database: spent("database") };
  return {
    perSecond: taken.length / seconds,
    cpu,
    cpuMs: cpu.server + cpu.sandbox + cpu.database,
    p50: percentile(taken, 0.5),
  };
}

const SELF_SIGN_WARM_UP = 40;
const MARK = { kind: "typed", text: "Basile Étalon", font: "caveat" };
const PLACE = { page: -1, x: 0.55, y: 0.8, width: 0.35, height: 0.08 };

/** Self-signed fresh files of 50 KB over HTTP, one by one, each a B-LTA answer. */
async function measureOwnDocuments(
  server: RunningServer,
  client: ApiClient,
  pdf: Uint8Array,
): Promise<Measured> {
  let number = 0;
  const sign = async (): Promise<number> => {
    number += 1;
    const form = new FormData();
    form.append("title", `Document ${number}`);
    form.append("placement", JSON.stringify(PLACE));
    form.append("signature", JSON.stringify(MARK));
    const file = distinct(pdf, number) as Uint8Array<ArrayBuffer>;
    form.append("file", new Blob([file], { type: "application/pdf" }), "document.pdf");
    const started = performance.now();
    const answer = await client.post("/api/signature/self-sign/", {
      form,
      headers: { accept: "application/pdf" },
    });
    story.expectStatus(answer, 200, "self-sign");
    return performance.now() - started;
  };
  for (let index = 0; index < SELF_SIGN_WARM_UP; index += 1) await sign();
  return measure(server, { clients: 1, times: ENVELOPES }, sign);
}
