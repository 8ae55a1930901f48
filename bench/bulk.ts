import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../tests/support/api-client.ts";
import { makeContract } from "../tests/support/make-contract.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { readLocalMailbox } from "../tests/support/read-local-mailbox.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { type RunningServer, findFreePort, startServer } from "../tests/support/start-server.ts";
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

const API = "/api/signature";
const PERSON = {
  username: "banc",
  email: "banc@exemple.fr",
  firstName: "Basile",
  lastName: "Étalon",
};
const FEW = 10;
const MANY = 500;
/** Pause between list calls; at rest, long enough to show slow ones. */
const PAUSE_MS = 40;
const IDLE_MS = 10_000;
/** Reading memory costs idle and busy calls alike. */
const SAMPLE_MS = 250;
const SHARES: readonly (readonly [Share, string])[] = [
  ["server", "the server process"],
  ["database", "PostgreSQL"],
  ["sandbox", "the PDF sandbox"],
];

type Watched = { readonly peakMb: number; readonly listMs: readonly number[] };
type Run = Watched & { readonly perSecond: number; readonly cpu: Readonly<Record<Share, number>> };

/** Batches of 10 and 500 documents of 50 KB over HTTP, beside list calls. */
export async function benchBulk(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const world = { url: server.url, mails };
  const pdf = await samplePdf();
  try {
    await story.registerPerson(world, PERSON);
    const client = await story.logIn(server.url, PERSON.username);
    const other = await story.logIn(server.url, PERSON.username);
    const database = await openDatabase(server.dataDir);
    const measure = async (documents: number): Promise<Run> => {
      const cpuBefore = await readCpuShares(server.pid, server.dataDir);
      const id = await sendBatch(client, { pdf, documents });
      const started = performance.now();
      let endedAt = started;
      const watched = await watch(server, other, async () => {
        endedAt = await waitForEnd(database, id);
      });
      const seconds = (endedAt - started) / 1_000;
      const cpuAfter = await readCpuShares(server.pid, server.dataDir);
      const spent = (share: Share) => ((cpuAfter[share] - cpuBefore[share]) * 1_000) / documents;
      const cpu = {
        server: spent("server"),
        database: spent("database"),
        sandbox: spent("sandbox"),
      };
      return { ...watched, perSecond: documents / seconds, cpu };
    };
    await measure(FEW);
    const few = await measure(FEW);
    for (let index = 0; index < 10; index += 1) await timeList(other);
    const idle = await watch(server, other, () => pause(IDLE_MS));
    const floorMs = measureCpuFloorMs();
    const many = await measure(MANY);
    const again = await measure(MANY);
    await database.close();
    return [...rowsOf({ few, many, again, idle, floorMs }), ...(await benchKills())];
  } finally {
    await server.close();
    await mails.close();
  }
}

async function watch(
  server: RunningServer,
  client: ApiClient,
  work: () => Promise<void>,
): Promise<Watched> {
  const listMs: number[] = [];
  let peakMb = 0;
  let isOver = false;
  const sampling = async () => {
    while (!isOver) {
      peakMb = Math.max(peakMb, await readMemoryMb(server.pid, server.dataDir));
      await pause(SAMPLE_MS);
    }
  };
  const listing = async () => {
    while (!isOver) {
      listMs.push(await timeList(client));
      await pause(PAUSE_MS);
    }
  };
  const watching = Promise.all([sampling(), listing()]);
  await work();
  isOver = true;
  await watching;
  return { peakMb, listMs };
}

type Runs = {
  readonly few: Run;
  readonly many: Run;
  readonly again: Run;
  readonly idle: Watched;
  readonly floorMs: number;
};

function rowsOf({ few, many, again, idle, floorMs }: Runs): BenchRow[] {
  const row = (
    what: string,
    value: number,
    unit: string,
    goal: BenchRow["goal"] = null,
  ): BenchRow => ({
    part: "bulk",
    what,
    value,
    unit,
    goal,
  });
  const cpu = many.cpu.server + many.cpu.database + many.cpu.sandbox;
  const [idleMs, busyMs] = [
    percentile(idle.listMs, 0.95),
    percentile([...many.listMs, ...again.listMs], 0.95),
  ];
  return [
    row(
      `documents of 50 KB a second, batch of ${MANY}, somebody's list calls meanwhile`,
      many.perSecond,
      "/s",
      { atLeast: 90 },
    ),
    row("CPU of one document, upload and list calls included", cpu, "ms", null),
    row("the least that one signature takes, just before", floorMs, "ms"),
    row("CPU of one document against that", cpu / floorMs, "×"),
    ...SHARES.map(([share, whose]) => row(`of which ${whose}`, many.cpu[share], "ms")),
    row(`peak memory, batch of ${FEW}, database included`, few.peakMb, "MB"),
    row(`peak memory, batch of ${MANY}`, many.peakMb, "MB"),
    row("the second against the first", many.peakMb / few.peakMb, "×", { atMost: 1.25 }),
    row(
      `peak memory, another batch of ${MANY} after it, against it`,
      again.peakMb / many.peakMb,
      "×",
      { atMost: 1.1 },
    ),
    row("a list call, p50, idle", percentile(idle.listMs, 0.5), "ms"),
    row(
      "a list call, p50, during the batches",
      percentile([...many.listMs, ...again.listMs], 0.5),
      "ms",
    ),
    row("a list call, p95, idle", idleMs, "ms"),
    row("a list call, p95, during the batches", busyMs, "ms"),
    row("the second against the first", busyMs / idleMs, "×", { atMost: 1.5 }),
  ];
}

/** Signatures missing or doubled on a service killed three times. */
async function benchKills(): Promise<BenchRow[]> {
  const { tally, server, owner } = await killBatch({
    documents: MANY,
    killedAt: [60, 200, 380],
    withinMs: 600_000,
  });
  owner.close();
  await server.close();
  const off = [tally.envelopes, tally.acts, tally.signatures, tally.events].map((count) =>
    Math.abs(count - MANY),
  );
  const what = `signatures too many or too few, batch of ${MANY} killed three times`;
  return [{ part: "bulk", what, value: Math.max(...off), unit: "", goal: { atMost: 0 } }];
}

async function sendBatch(
  client: ApiClient,
  { pdf, documents }: { readonly pdf: Uint8Array; readonly documents: number },
): Promise<string> {
  const form = new FormData();
  form.append(
    "placement",
    JSON.stringify({ page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 }),
  );
  form.append("signature", JSON.stringify(story.DRAWN));
  for (let index = 1; index <= documents; index += 1)
    form.append(
      "files",
      new Blob([distinct(pdf, index) as Uint8Array<ArrayBuffer>], { type: "application/pdf" }),
      `Attestation ${index}.pdf`,
    );
  const answer = story.expectStatus(
    await client.post(`${API}/batch-sign/`, { form }),
    202,
    "batch",
  );
  return (answer.json as { readonly id: string }).id;
}

function distinct(pdf: Uint8Array, index: number): Uint8Array {
  return new Uint8Array(Buffer.concat([pdf, Buffer.from(`%${index}-${performance.now()}\n`)]));
}

async function timeList(client: ApiClient): Promise<number> {
  const started = performance.now();
  story.expectStatus(await client.get(`${API}/envelopes/?status=completed`), 200, "list");
  return performance.now() - started;
}

/** Reads one row, because counting files was a tenth of PostgreSQL's share. */
async function waitForEnd(
  database: Awaited<ReturnType<typeof openDatabase>>,
  id: string,
): Promise<number> {
  for (;;) {
    const [job] = await database.query<{ finished: boolean }>(
      `select finished_at is not null as finished from batch_jobs where id = '${id}'`,
    );
    if (job?.finished === true) break;
    await pause(25);
  }
  const endedAt = performance.now();
  const [left] = await database.query<{ count: number }>(
    `select count(*)::int as count from batch_items where job_id = '${id}' and status <> 'done'`,
  );
  if (left?.count !== 0) throw new Error(`${left?.count} documents were not signed`);
  return endedAt;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const SYNDIC = {
  username: "clemence",
  email: "clemence@exemple.fr",
  firstName: "Clémence",
  lastName: "Aubry",
};
const ENV = { RATE_LIMITS: "off" };

/** All equal the documents if each was signed once. */
export type BatchTally = {
  readonly done: number;
  readonly envelopes: number;
  readonly acts: number;
  readonly signatures: number;
  readonly events: number;
  readonly messages: number;
};
export type KilledBatch = {
  readonly id: string;
  readonly tally: BatchTally;
  readonly server: RunningServer;
  readonly owner: ApiClient;
};

/** Kills (SIGKILL) and restarts its own service at these counts; the caller closes the results. */
export async function killBatch({
  documents,
  killedAt,
  withinMs,
}: {
  documents: number;
  killedAt: readonly number[];
  withinMs: number;
}): Promise<KilledBatch> {
  let server = await startServer({ env: ENV, port: await findFreePort() });
  await story.registerPerson({ url: server.url, mails: readLocalMailbox(server.url) }, SYNDIC);
  const first = await story.logIn(server.url, SYNDIC.username);
  const id = await sendOneBatch(first, documents);
  first.close();
  for (const count of killedAt) {
    await waitFor(server, { id, withinMs, isReached: ({ done }) => done >= count });
    await server.kill();
    const { dataDir, url } = server;
    server = await startServer({ env: ENV, dataDir, port: Number(new URL(url).port) });
  }
  const tally = await waitFor(server, {
    id,
    withinMs,
    isReached: ({ done, messages }) => done === documents && messages > 0,
  });
  const owner = await story.logIn(server.url, SYNDIC.username);
  return { id, tally, server, owner };
}

async function sendOneBatch(owner: ApiClient, documents: number): Promise<string> {
  const form = new FormData();
  form.append(
    "placement",
    JSON.stringify({ page: -1, x: 0.55, y: 0.75, width: 0.3, height: 0.08 }),
  );
  form.append("signature", JSON.stringify(story.DRAWN));
  const contract = await makeContract("lot");
  for (let index = 0; index < documents; index += 1)
    form.append(
      "files",
      new Blob([Buffer.concat([contract, Buffer.from(`%${index}\n`)])]),
      `Attestation ${index}.pdf`,
    );
  return story.expectStatus(await owner.post("/api/signature/batch-sign/", { form }), 202, "batch")
    .json.id;
}

type Waiting = {
  readonly id: string;
  readonly withinMs: number;
  readonly isReached: (tally: BatchTally) => boolean;
};

async function waitFor(
  { dataDir }: RunningServer,
  { id, withinMs, isReached }: Waiting,
): Promise<BatchTally> {
  const database = await openDatabase(dataDir);
  try {
    for (const until = Date.now() + withinMs; Date.now() < until; await sleep(20)) {
      const [tally] = await database.query<BatchTally>(
        `select (select count(*)::int from batch_items where job_id = $1 and status = 'done') as done,
          (select count(*)::int from envelopes) as envelopes, (select count(*)::int from signing_acts where method = 'bulk') as acts,
          (select count(*)::int from signatures) as signatures,
          (select count(*)::int from audit_events where action = 'envelope_completed') as events,
          (select count(*)::int from notices where kind = 'batch_ended') as messages`,
        [id],
      );
      if (tally !== undefined && isReached(tally)) return tally;
    }
    throw new Error("the batch does not go on");
  } finally {
    await database.close();
  }
}
