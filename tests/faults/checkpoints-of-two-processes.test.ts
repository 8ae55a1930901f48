import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { makeContract } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { personOf } from "../support/of-this-worker.ts";

const OWNER = personOf("lison", "Lison Maïa");
const LOG = "/api/signature/transparency";
const WITHIN = { timeout: 60_000, interval: 500 };
const AT_ONCE = { timeout: 1_000, interval: 500 };

/** A web process and a worker on one folder. */
let web: RunningServer;
let worker: RunningServer;
let owner: ApiClient;

const startWorker = () => startServer({ env: { ROLE: "worker" }, dataDir: web.dataDir });

beforeAll(async () => {
  web = await startServer({ env: { ROLE: "web", RATE_LIMITS: "off" } });
  worker = await startWorker();
  owner = await story.signUp(web.url, OWNER);
}, 240_000);
afterAll(async () => {
  owner?.close();
  await worker?.stop();
  await web?.close();
});

type Log = { readonly checkpoints: number; readonly waiting: number };

/** Waits for this many checkpoints, and pending tree heads. */
async function expectLog(
  log: Log,
  within: { readonly timeout: number; readonly interval: number },
): Promise<void> {
  const database = await openDatabase(web.dataDir);
  const read = () =>
    database.query<Log>(
      "select (select count(*)::int from transparency_checkpoints) as checkpoints, (select count(*)::int from transparency_due) as waiting",
    );
  try {
    await expect.poll(read, within).toEqual([log]);
  } finally {
    await database.close();
  }
}

test("the worker makes the checkpoint of a completion in the web process, and it is public at once", async () => {
  await story.selfSign(owner, "Lison Maïa");
  await expectLog({ checkpoints: 1, waiting: 0 }, WITHIN);
  expect((await owner.get(`${LOG}/checkpoints/latest/`)).json).toMatchObject({ size: 1 });
});

test("a start catches up once with the hours while nothing ran, and covers what was written before", async () => {
  await story.createEnvelope(owner, {
    title: "Brouillon",
    pdf: await makeContract("2"),
    guests: [],
  });
  await expectLog({ checkpoints: 1, waiting: 1 }, AT_ONCE);
  await worker.stop();
  await web.stop();
  const database = await openDatabase(web.dataDir);
  // As if installed, and stopped, two hours ago.
  await database.query("update jobs.version set cron_on = cron_on - interval '2 hours'");
  await database.query("update jobs.schedule set created_on = created_on - interval '3 hours'");
  await database.close();
  worker = await startWorker();
  await expectLog({ checkpoints: 2, waiting: 0 }, WITHIN);
}, 180_000);
