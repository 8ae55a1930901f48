import type { ApiClient } from "../tests/support/api-client.ts";
import { makePdfOfSize } from "../tests/support/make-contract.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { type RunningServer, startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { type BenchRow, percentile } from "./figures.ts";
import { measureCpuFloorMs, type Share, readCpuShares, readMemoryMb } from "./process-tree.ts";
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

/**
 * Envelopes of 50 KB with two guests and mailed codes over HTTP and SMTP, from creation to
 * completion.
 */
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
    let number = 0;
    const complete = () => {
      number += 1;
      return completeEnvelope(world, { sender, pdf, number });
    };
    const transactions = async () => {
      const [row] = await database.query<{ count: string }>(
        "select xact_commit as count from pg_stat_database where datname = current_database()",
      );
      return Number(row?.count ?? 0);
    };
    for (let index = 0; index < WARM_UP; index += 1) await complete();
    const committed = await transactions();
    const floorBefore = measureCpuFloorMs();
    const one = await measure(server, { clients: 1, envelopes: ENVELOPES }, complete);
    const floorMs = (floorBefore + measureCpuFloorMs()) / 2;
    const perEnvelope = ((await transactions()) - committed) / ENVELOPES;
    const four = await measure(server, { clients: 4, envelopes: ENVELOPES }, complete);
    const loadedMb = await readMemoryMb(server.pid, server.dataDir);
    const alone = await benchSelfSign(server, sender, pdf);
    const large = await benchLargeEnvelope(server, world, sender);
    await database.close();
    return [
      ...envelopeRows(one, floorMs),
      row("two-guest envelopes a second, 4 clients", [four.perSecond, "/s"], { atLeast: 15 }),
      row("transactions per envelope", [perEnvelope, ""]),
      row("memory, idle, database included", [idleMb, "MB"], { atMost: 250 }),
      row(`memory after ${number} envelopes`, [loadedMb, "MB"], { atMost: 350 }),
      ...alone,
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

function envelopeRows(one: Measured, floorMs: number): readonly BenchRow[] {
  return [
    row("two-guest envelope of 50 KB, whole service, CPU", [one.cpuMs, "ms"], { atMost: 80 }),
    ...SHARES.map(([share, whose]) => row(`of which ${whose}`, [one.cpu[share], "ms"])),
    row("floor in the same run (hash of 50 KB, P-256 signature, write), CPU", [floorMs, "ms"]),
    row("the envelope against that floor", [one.cpuMs / floorMs, "×"]),
    row("the same, wall time, 1 client (p50)", [one.p50, "ms"], { atMost: 240 }),
    row("two-guest envelopes a second, 1 client", [one.perSecond, "/s"], { atLeast: 10 }),
  ];
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
  const file = makePdfOfSize(LARGE_BYTES);
  let number = 10_000;
  const complete = () => {
    number += 1;
    const pdf = new Uint8Array(Buffer.concat([file, Buffer.from(`%${number}\n`)]));
    return completeEnvelope(world, { sender, pdf, number });
  };
  for (let index = 0; index < LARGE_WARM_UP; index += 1) await complete();
  const { cpuMs, cpu, p50 } = await measure(
    server,
    { clients: 1, envelopes: LARGE_ENVELOPES },
    complete,
  );
  return [
    row("two-guest envelope of 10 MB, whole service, CPU", [cpuMs, "ms"], { atMost: 1_000 }),
    ...SHARES.map(([share, whose]) => row(`of which ${whose}`, [cpu[share], "ms"])),
    row("the same, wall time, 1 client (p50)", [p50, "ms"], { atMost: 1_200 }),
  ];
}

/** Gives its time in milliseconds. */
async function completeEnvelope(
  world: story.World,
  {
    sender,
    pdf,
    number,
  }: { readonly sender: ApiClient; readonly pdf: Uint8Array; readonly number: number },
): Promise<number> {
  const guests = [1, 2].map((guest) => ({
    email: `invite-${number}-${guest}@exemple.fr`,
    full_name: `Maëlys Œuvrard ${guest}`,
  }));
  const started = performance.now();
  const { id } = await story.createEnvelope(sender, {
    title: `Banc ${number}`,
    pdf,
    guests,
    lastPage: 1,
  });
  await story.sendEnvelope(sender, id);
  for (const guest of guests) {
    const visit = await story.openInvitation(world, guest, id);
    await story.confirmGuest(world, visit);
    await story.signAsGuest(visit, story.DRAWN);
    visit.client.close();
  }
  return performance.now() - started;
}

type Measured = {
  readonly perSecond: number;
  readonly cpu: Readonly<Record<Share, number>>;
  readonly cpuMs: number;
  readonly p50: number;
};

async function measure(
  { pid, dataDir }: RunningServer,
  { clients, envelopes }: { readonly clients: number; readonly envelopes: number },
  complete: () => Promise<number>,
): Promise<Measured> {
  const before = await readCpuShares(pid, dataDir);
  const startedAt = performance.now();
  const times: number[] = [];
  let begun = 0;
  const work = async () => {
    while (begun < envelopes) {
      begun += 1;
      times.push(await complete());
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await readCpuShares(pid, dataDir);
  const spent = (share: Share): number => ((after[share] - before[share]) * 1_000) / times.length;
  const cpu = { server: spent("server"), sandbox: spent("sandbox"), database: spent("database") };
  return {
    perSecond: times.length / seconds,
    cpu,
    cpuMs: cpu.server + cpu.sandbox + cpu.database,
    p50: percentile(times, 0.5),
  };
}

const SELF_SIGN_WARM_UP = 40;
const DOCUMENTS = 60;
const MARK = { kind: "typed", text: "Basile Étalon", font: "caveat" };
const PLACE = { page: -1, x: 0.55, y: 0.8, width: 0.35, height: 0.08 };
const SELF_SIGN_SHARES: readonly (readonly [Share, string])[] = [
  ["server", "the server process"],
  ["database", "PostgreSQL"],
  ["sandbox", "the PDF sandbox"],
];

/** Self-signed files of 50 KB over HTTP, one by one, each a B-LTA answer. */
async function benchSelfSign(
  server: RunningServer,
  client: ApiClient,
  pdf: Uint8Array,
): Promise<BenchRow[]> {
  const sign = async (number: number): Promise<number> => {
    const form = new FormData();
    form.append("title", `Document ${number}`);
    form.append("placement", JSON.stringify(PLACE));
    form.append("signature", JSON.stringify(MARK));
    form.append(
      "file",
      new Blob([new Uint8Array(pdf)], { type: "application/pdf" }),
      "document.pdf",
    );
    const started = performance.now();
    const answer = await client.post("/api/signature/self-sign/", {
      form,
      headers: { accept: "application/pdf" },
    });
    if (answer.status !== 200) throw new Error(`self-sign answered ${answer.status}`);
    return performance.now() - started;
  };
  for (let number = 0; number < SELF_SIGN_WARM_UP; number += 1) await sign(number);
  const before = await readCpuShares(server.pid, server.dataDir);
  const times: number[] = [];
  for (let number = 0; number < DOCUMENTS; number += 1) times.push(await sign(number));
  const after = await readCpuShares(server.pid, server.dataDir);
  const spent = (share: Share): number => ((after[share] - before[share]) * 1_000) / DOCUMENTS;
  const total = SELF_SIGN_SHARES.reduce((sum, [share]) => sum + spent(share), 0);
  return [
    row("B-LTA self-sign of 50 KB, whole service, CPU", [total, "ms"], { atMost: 25 }),
    ...SELF_SIGN_SHARES.map(([share, whose]) => row(`of which ${whose}`, [spent(share), "ms"])),
    row("the same, wall time, 1 client (p50)", [percentile(times, 0.5), "ms"]),
  ];
}
