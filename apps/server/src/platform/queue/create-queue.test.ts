import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../testing/database.ts";
import { inTransaction } from "../database/in-transaction.ts";
import {
  createQueue,
  type DrainableQueue,
  type JobRules,
  PutOffError,
  type QueueOptions,
} from "./create-queue.ts";
import { type Log, createLog } from "../logs/log.ts";

const silent = { info() {}, warn() {}, error() {} };
const OPTIONS: QueueOptions = {
  concurrency: 1,
  retryLimit: 3,
  retryDelayS: 1,
  retryDelayMaxS: 2,
  expireInS: 60,
};

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let database: TestDatabase;
let queues: DrainableQueue[];
beforeEach(async () => {
  database = await createTestDatabase();
  queues = [];
});
afterEach(async () => {
  for (const queue of queues) await queue.stop();
  await database.drop();
});

function makeQueue(log: Log = silent): DrainableQueue {
  const queue = createQueue({ url: database.url, log });
  queues.push(queue);
  return queue;
}

const enqueue = (queue: DrainableQueue, payload: object, options?: JobRules) =>
  inTransaction(database.db, (trx) => queue.enqueue(trx, "greet", payload, options));

async function waitFor(met: () => boolean, timeoutMs = 30_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !met(); await sleep(5))
    if (Date.now() > deadline) throw new Error("waited in vain");
}

describe("the queue", () => {
  test("a job starts right after its transaction's commit", async () => {
    const done: unknown[] = [];
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    await queue.start("work");
    await sleep(300);
    const committed = performance.now();
    await enqueue(queue, { name: "Marie" });
    await waitFor(() => done.length === 1);
    expect(performance.now() - committed).toBeLessThan(2_000);
    expect(done).toEqual([{ name: "Marie" }]);
  });

  test("a job wakes another process's workers", async () => {
    const done: unknown[] = [];
    const worker = makeQueue();
    worker.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    const web = makeQueue();
    web.handle("greet", OPTIONS, async () => {
      throw new Error("a web process does not work");
    });
    await web.start("enqueue");
    await worker.start("work");
    await sleep(300);
    const committed = performance.now();
    await enqueue(web, { name: "Paul" });
    await waitFor(() => done.length === 1);
    expect(performance.now() - committed).toBeLessThan(2_000);
  });

  test("no enqueuing transaction sends NOTIFY, which would delay other commits", async () => {
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async () => {});
    await queue.start("enqueue");
    const statements: string[] = [];
    await inTransaction(database.db, async (trx) => {
      const execute = trx.executeQuery.bind(trx);
      trx.executeQuery = (query) => {
        statements.push((query as { sql: string }).sql);
        return execute(query);
      };
      await queue.enqueue(trx, "greet", {});
    });
    expect(statements).toEqual([expect.stringContaining("tell_channel(")]);
    expect(statements[0]).not.toMatch(/notify\(/);
  });

  test("several jobs are added at once, each once per key, and one is withdrawn by its id", async () => {
    const done: unknown[] = [];
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    await queue.start("enqueue");
    const id = randomUUID();
    await inTransaction(database.db, (trx) =>
      queue.enqueueAll(trx, "greet", [
        { payload: { name: "Marie" }, singletonKey: "a" },
        { payload: { name: "Marie encore" }, singletonKey: "a" },
        { payload: { name: "Paul" }, id },
        { payload: { name: "Zoé" } },
      ]),
    );
    await inTransaction(database.db, (trx) => queue.withdraw(trx, "greet", id));
    await inTransaction(database.db, (trx) => queue.withdraw(trx, "greet", id));
    await queue.drain();
    expect(
      done.toSorted((left, right) => JSON.stringify(left).localeCompare(JSON.stringify(right))),
    ).toEqual([{ name: "Marie" }, { name: "Zoé" }]);
  });

  test("a rolled back transaction leaves no job", async () => {
    const queue = makeQueue();
    const done: unknown[] = [];
    queue.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    await queue.start("enqueue");
    const failing = inTransaction(database.db, async (trx) => {
      await queue.enqueue(trx, "greet", { name: "Personne" });
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    await queue.drain();
    expect(done).toEqual([]);
  });

  test("a failed job is retried with growing delays, and given up at its limit", async () => {
    const tries: number[] = [];
    const queue = makeQueue();
    queue.handle("greet", { ...OPTIONS, retryLimit: 2 }, async () => {
      tries.push(performance.now());
      throw new Error("not now");
    });
    await queue.start("enqueue");
    await enqueue(queue, {});
    expect(await queue.drain()).toHaveLength(1);
    expect(await queue.drain()).toHaveLength(0);
    expect(await queue.drain({ deferred: "run" })).toHaveLength(2);
    expect(await queue.drain({ deferred: "run" })).toHaveLength(0);
    expect(tries).toHaveLength(3);
  });

  test("a postponed job is retried, and is no failure", async () => {
    const said: string[] = [];
    const queue = makeQueue({
      ...silent,
      info: (_fields, message) => said.push(`info ${message}`),
      error: () => said.push("error"),
    });
    let tries = 0;
    queue.handle("greet", OPTIONS, async () => {
      tries += 1;
      if (tries === 1) throw new PutOffError("not at this moment");
    });
    await queue.start("work");
    await enqueue(queue, {});
    await waitFor(() => tries === 2);
    expect(said).toEqual(["info a job is put off: not at this moment"]);
  });

  test("no second job is added while one of its key waits or runs", async () => {
    const done: unknown[] = [];
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async (payload) => {
      done.push(payload);
      if (done.length === 1) await enqueue(queue, { name: "pendant" }, { singletonKey: "a" });
    });
    await queue.start("enqueue");
    await enqueue(queue, { name: "premier" }, { singletonKey: "a" });
    await enqueue(queue, { name: "double" }, { singletonKey: "a" });
    await enqueue(queue, { name: "autre" }, { singletonKey: "b" });
    await enqueue(queue, { name: "sans clé" });
    await enqueue(queue, { name: "sans clé" });
    await queue.drain();
    expect(done).toEqual([
      { name: "premier" },
      { name: "autre" },
      { name: "sans clé" },
      { name: "sans clé" },
    ]);
    await enqueue(queue, { name: "plus tard" }, { singletonKey: "a" });
    await queue.drain();
    expect(done.at(-1)).toEqual({ name: "plus tard" });
  });

  test.each([1, 2, 4])(
    "takes the next jobs as soon as it has done with the last, %i at once",
    async (concurrency) => {
      const done = new Set<unknown>();
      const queue = makeQueue();
      queue.handle(
        "greet",
        { ...OPTIONS, concurrency },
        async (payload) => void done.add((payload as { guest: number }).guest),
      );
      await queue.start("work");
      await sleep(300);
      const guests = Array.from({ length: 60 }, (_, guest) => ({ payload: { guest } }));
      await inTransaction(database.db, (trx) => queue.enqueueAll(trx, "greet", guests));
      // A fetcher that paused after each batch would need a minute.
      await waitFor(() => done.size === guests.length);
    },
  );

  test("a PostgreSQL error is logged by message and code, without a row's values", async () => {
    const lines: string[] = [];
    const queue = makeQueue(createLog({ write: (line) => void lines.push(line) }));
    queue.handle("greet", OPTIONS, async () => {});
    await queue.start("work");
    await sql`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'not today' using errcode = '25006', detail = new.data::text, hint = new.data::text; end $$`.execute(
      database.owner,
    );
    await sql`create trigger refuse before update on jobs.job for each row execute function refuse()`.execute(
      database.owner,
    );
    await enqueue(queue, { email: "marie@exemple.fr" });
    const told = () => lines.filter((line) => line.includes("the queue met an error"));
    await waitFor(() => told().length > 0);
    await sql`drop trigger refuse on jobs.job`.execute(database.owner);
    const { error } = JSON.parse(told()[0] ?? "") as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      message: expect.stringMatching(/^not today \(Queue: greet, /),
      error_code: "25006",
    });
    expect(lines.join()).not.toMatch(/marie|\[object Object\]/);
  });

  test("a job waits for its moment", async () => {
    const done: unknown[] = [];
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    await queue.start("enqueue");
    await enqueue(queue, {}, { startAfter: new Date(Date.now() + 3_600_000) });
    await queue.drain();
    expect(done).toEqual([]);
    await queue.drain({ deferred: "run" });
    expect(done).toHaveLength(1);
  });

  test("another worker takes over a dead worker's job", async () => {
    const queue = makeQueue();
    const done: unknown[] = [];
    queue.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    await queue.start("enqueue");
    await enqueue(queue, { name: "orpheline" });
    // A killed worker leaves an active job without a heartbeat.
    await sql`update jobs.job set state = 'active', started_on = now(), heartbeat_on = now() - interval '30 seconds' where name = 'greet'`.execute(
      database.db,
    );
    const next = makeQueue();
    next.handle("greet", OPTIONS, async (payload) => void done.push(payload));
    await next.start("work");
    await waitFor(() => done.length === 1, 40_000);
    expect(done).toEqual([{ name: "orpheline" }]);
  }, 50_000);

  test("schedules are stored in Paris time", async () => {
    const queue = makeQueue();
    queue.schedule("sweep", "0 3 * * *", async () => {});
    await queue.start("work");
    const { rows } = await sql`select name, cron, timezone from jobs.schedule`.execute(database.db);
    expect(rows).toEqual([{ name: "sweep", cron: "0 3 * * *", timezone: "Europe/Paris" }]);
  });

  test("a running job ends before the queue stops", async () => {
    let ended = false;
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async () => {
      await sleep(600);
      ended = true;
    });
    await queue.start("work");
    await enqueue(queue, {});
    await sleep(300);
    await queue.stop();
    expect(ended).toBe(true);
  });

  test("a job without a handler, and a name taken twice, are refused", async () => {
    const queue = makeQueue();
    queue.handle("known", OPTIONS, async () => {});
    expect(() => queue.handle("known", OPTIONS, async () => {})).toThrow("twice");
    await queue.start("enqueue");
    await expect(enqueue(queue, {})).rejects.toThrow("No job is named greet");
  });

  test("a working queue reports missing tables, one that only enqueues does not, and works again afterwards", async () => {
    const queue = makeQueue();
    queue.handle("greet", OPTIONS, async () => {});
    await queue.start("work");
    const web = makeQueue();
    await web.start("enqueue");
    await sql`alter schema jobs rename to away`.execute(database.owner);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25_000 });
    try {
      await expect(queue.check()).rejects.toThrow("The jobs greet are not taken up");
      await web.check();
      await sql`alter schema away rename to jobs`.execute(database.owner);
      await expect
        .poll(() => queue.check().then(() => "taken up"), { timeout: 30_000, interval: 200 })
        .toBe("taken up");
    } finally {
      vi.useRealTimers();
    }
  });

  test("an idle queue takes almost no processor time", async () => {
    const queue = makeQueue();
    for (let index = 0; index < 15; index++) queue.handle(`job-${index}`, OPTIONS, async () => {});
    await queue.start("work");
    await sleep(1_000);
    const before = process.cpuUsage();
    await sleep(3_000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 3_000_000).toBeLessThan(0.1);
  });
});
