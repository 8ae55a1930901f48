import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fromKysely, type Job, type JobResult, PgBoss } from "pg-boss";
import { LASTING, type Transaction } from "../database/database.ts";
import { PreparingClient } from "../database/preparing-client.ts";
import type { Log } from "../logs/log.ts";
import { jobs as jobCounts } from "../metrics/metrics.ts";
import { inSpan } from "../traces/spans.ts";

const SCHEMA = "jobs";
const TIME_ZONE = "Europe/Paris";
/** Finds jobs due by the clock, and those of processes that died before NOTIFY. */
const BACKSTOP_POLL_S = 5;
/** Only a retry comes without a NOTIFY. */
const SCHEDULED_POLL_S = 30;
/** Polls this often without NOTIFY (pooler, broken listener). */
const POLL_S = 1;
const ANSWER_MS = 10_000;
/** An idle worker this far past its interval has stalled. */
const STALLED_MS = 15_000;
/** After this another process takes the job. */
const HEARTBEAT_S = 20;
const STOP_MS = 9_000;
const KEPT_S = 7 * 24 * 3_600;

type Registration = {
  readonly name: string;
  readonly options: QueueOptions;
  readonly handler: (payload: unknown) => Promise<void>;
  readonly cron: string | null;
};

/** A scheduled job is retried, then left to the next. */
const SCHEDULED: QueueOptions = {
  concurrency: 1,
  retryLimit: 3,
  retryDelayS: 10,
  retryDelayMaxS: 300,
  expireInS: 3_600,
};

export type DrainableQueue = Queue & {
  /** Includes jobs they enqueue; `deferred: "run"` future ones too. Gives what handlers threw. */
  drain(options?: { deferred?: "run" | "leave" }): Promise<readonly unknown[]>;
  knows(name: string): boolean;
};

/** `connections`: of a working process; one that only enqueues takes two. */
type QueueConnections = { readonly url: string; readonly log: Log; readonly connections?: number };

export function createQueue(options: QueueConnections): DrainableQueue {
  const registrations = new Map<string, Registration>();
  const workers: Worker[] = [];
  let boss: PgBoss | null = null;
  let working = false;
  const started = () => {
    if (boss === null) throw new Error("The queue is not started");
    return boss;
  };
  const register = (registration: Registration) => {
    if (working)
      throw new Error(`The job ${registration.name} must be registered before the queue starts`);
    if (registrations.has(registration.name))
      throw new Error(`The job ${registration.name} is registered twice`);
    registrations.set(registration.name, registration);
  };
  const ensureQueue = queueMaker(registrations, started);
  const enqueueAll: Queue["enqueueAll"] = async (trx, name, jobs) => {
    if (jobs.length === 0) return;
    await ensureQueue(name);
    await insertJobs(started(), { trx, name, jobs });
  };
  return {
    knows: (name) => registrations.has(name),
    enqueue: (trx, name, ...[payload, rules]) => enqueueAll(trx, name, [{ ...rules, payload }]),
    enqueueAll,
    async withdraw(trx, name, id) {
      await started().deleteJob(name, id, { db: fromKysely(trx) });
    },
    handle: (name, queueOptions, handler) =>
      register({ name, options: queueOptions, handler, cron: null }),
    schedule: (name, cron, handler) =>
      register({ name, options: SCHEDULED, handler: () => handler(), cron }),
    attach: (worker) => void workers.push(worker),
    async start(mode) {
      const fresh = openBoss(options, mode);
      await fresh.start();
      boss = fresh;
      await Promise.all([...registrations.keys()].map(ensureQueue));
      working = mode === "work";
      if (!working) return;
      await startHandlers(fresh, { registrations: registrations.values(), log: options.log });
      for (const worker of workers) worker.start();
    },
    async check() {
      const longestS = (name: string) => pollSecondsOf(registrations.get(name) ?? null);
      if (working) assertTakenUp(started(), { workers, longestS });
    },
    async stop() {
      const stopping = boss;
      boss = null;
      await stopAll(stopping, working ? workers : []);
    },
    async drain({ deferred = "leave" } = {}) {
      for (const name of registrations.keys()) await ensureQueue(name);
      const ignoreStartAfter = deferred === "run";
      return drainQueues(started(), { registrations, workers, ignoreStartAfter });
    },
  };
}

async function insertJobs(
  boss: PgBoss,
  { trx, name, jobs }: { trx: Transaction; name: string; jobs: Parameters<Queue["enqueueAll"]>[2] },
): Promise<void> {
  // "exclusive" takes a missing key for a shared one.
  const rows = jobs.map(({ payload, ...rules }) => ({
    singletonKey: randomUUID(),
    ...rules,
    data: payload,
  }));
  await boss.insert(name, rows, { db: wakingAfterCommit(fromKysely(trx)) });
}

async function stopAll(boss: PgBoss | null, workers: readonly Worker[]): Promise<void> {
  const stopped = Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all([
    boss?.stop({ graceful: true, timeout: STOP_MS, close: true }),
    Promise.race([stopped, sleep(STOP_MS, undefined, { ref: false })]),
  ]);
}

function queueMaker(
  registrations: ReadonlyMap<string, Registration>,
  started: () => PgBoss,
): (name: string) => Promise<void> {
  const made = new Map<string, Promise<void>>();
  return (name) => {
    const registration = registrations.get(name);
    if (!registration) throw new Error(`No job is named ${name}`);
    const ready = made.get(name) ?? makeQueue(started(), registration);
    made.set(name, ready);
    ready.catch(() => made.delete(name));
    return ready;
  };
}

/**
 * pg-boss would NOTIFY inside the transaction, under a lock of all such commits (ADR 0011). The
 * process notifies after the commit; a version with another statement keeps its way.
 */
function wakingAfterCommit(db: ReturnType<typeof fromKysely>): ReturnType<typeof fromKysely> {
  return {
    executeSql: (text, values) =>
      db.executeSql(text.replace(/(?<![\w.])pg_notify\(/g, "tell_channel("), values),
  };
}

function openBoss(options: QueueConnections, mode: "work" | "enqueue"): PgBoss {
  const works = mode === "work";
  // Passed on to `pg.Pool`, as the fetch is the most planned query.
  const poolOptions = { Client: PreparingClient, ...LASTING, query_timeout: ANSWER_MS };
  const boss = new PgBoss({
    ...poolOptions,
    connectionString: options.url,
    schema: SCHEMA,
    application_name: "paraphe-jobs",
    max: works ? (options.connections ?? 4) : 2,
    supervise: works,
    schedule: works,
    useListenNotify: works,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    cronMonitorIntervalSeconds: 30,
    cronWorkerIntervalSeconds: 5,
  });
  boss.on("error", (error: unknown) =>
    options.log.error({ error: errorOf(error) }, "the queue met an error"),
  );
  boss.on("warning", (warning) =>
    options.log.warn({ warning: warning.message }, "the queue warns"),
  );
  return boss;
}

/** pg-boss may report parts with queue and worker; PostgreSQL's have rows' values. */
function errorOf(reported: unknown): Error {
  if (reported instanceof Error) return reported;
  const { message, stack, code } = Object(reported) as {
    message?: unknown;
    stack?: unknown;
    code?: unknown;
  };
  const error = new Error(
    typeof message === "string" ? message : "pg-boss reports an error without a message",
  );
  return Object.assign(
    error,
    typeof stack === "string" ? { stack } : {},
    typeof code === "string" ? { code } : {},
  );
}

async function queuesWithJobs(
  boss: PgBoss,
  { ignoreStartAfter }: { ignoreStartAfter: boolean },
): Promise<ReadonlySet<string>> {
  const isDue = ignoreStartAfter ? "" : "and start_after <= now()";
  const { rows } = await boss
    .getDb()
    .executeSql(
      `select distinct name from ${SCHEMA}.job where state in ('created', 'retry') ${isDue}`,
    );
  return new Set(rows.map(({ name }: { name: string }) => name));
}

async function makeQueue(boss: PgBoss, { name, options }: Registration): Promise<void> {
  const rules = {
    retryLimit: options.retryLimit,
    retryDelay: options.retryDelayS,
    retryDelayMax: options.retryDelayMaxS,
    retryBackoff: true,
    expireInSeconds: options.expireInS,
    deleteAfterSeconds: KEPT_S,
    heartbeatSeconds: HEARTBEAT_S,
    notify: true,
  };
  const known = await boss.getQueue(name);
  if (known === null) await boss.createQueue(name, { policy: "exclusive", ...rules });
  else if (
    Object.entries(rules).some(([rule, value]) => known[rule as keyof typeof rules] !== value)
  )
    await boss.updateQueue(name, rules);
}

async function startHandlers(
  boss: PgBoss,
  work: { registrations: Iterable<Registration>; log: Log },
): Promise<void> {
  for (const registration of work.registrations) {
    const { name, options, cron } = registration;
    if (cron !== null) await boss.schedule(name, cron, null, { tz: TIME_ZONE, missed: "once" });
    // All fetchers wake at every job: two, so that a slow job delays none.
    const fetchers = Math.min(2, options.concurrency);
    const rules = {
      batchSize: Math.ceil(options.concurrency / fetchers),
      perJobResults: true,
      pollingIntervalSeconds: POLL_S,
      notifyPollingIntervalSeconds: pollSecondsOf(registration),
    } as const;
    for (let fetcher = 1; fetcher <= fetchers; fetcher++) {
      const id: string = await boss.work<unknown, undefined, typeof rules>(name, rules, (jobs) => {
        // NOTIFY is silent on what a full batch left, and `burstWhenBatchFull` is for larger
        // batches.
        if (jobs.length === rules.batchSize) boss.notifyWorker(id);
        return Promise.all(jobs.map((job) => runJob(registration, job, work.log)));
      });
    }
  }
}

function pollSecondsOf(registration: Pick<Registration, "cron"> | null): number {
  return (registration?.cron ?? null) === null ? BACKSTOP_POLL_S : SCHEDULED_POLL_S;
}

function assertTakenUp(
  boss: PgBoss,
  {
    workers,
    longestS,
  }: { readonly workers: readonly Worker[]; readonly longestS: (name: string) => number },
): void {
  for (const worker of workers) worker.check();
  const now = Date.now();
  const dead = boss
    .getWipData()
    .find(
      ({ name, count, lastFetchedOn, createdOn }) =>
        count === 0 && now - (lastFetchedOn ?? createdOn) > longestS(name) * 1_000 + STALLED_MS,
    );
  if (dead !== undefined)
    throw new Error(`The jobs ${dead.name} are not taken up`, { cause: dead.lastError });
}

async function runJob(registration: Registration, job: Job<unknown>, log: Log): Promise<JobResult> {
  try {
    const { name } = registration;
    await inSpan(
      () => ({
        name: `job ${name}`,
        kind: "consumer",
        attributes: { "messaging.system": "pg-boss", "messaging.destination.name": name },
      }),
      () => registration.handler(job.data),
    );
    jobCounts.inc({ job: registration.name, outcome: "completed" });
    return { id: job.id, status: "completed" };
  } catch (error) {
    const known = { job: registration.name, job_id: job.id };
    jobCounts.inc({
      job: registration.name,
      outcome: error instanceof PutOffError ? "put_off" : "failed",
    });
    if (error instanceof PutOffError) log.info(known, `a job is put off: ${error.message}`);
    else log.error({ error, ...known }, "a job failed and will be tried again");
    return { id: job.id, status: "failed", output: { message: String(error) } };
  }
}

async function drainQueues(
  boss: PgBoss,
  work: {
    registrations: ReadonlyMap<string, Registration>;
    workers: readonly Worker[];
    ignoreStartAfter: boolean;
  },
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (let found = true, deferred = work.ignoreStartAfter; found; deferred = false) {
    found = false;
    for (const worker of work.workers) {
      const drained = await worker.drain({ deferred });
      found ||= drained.found;
      failures.push(...drained.failures);
    }
    const waiting = await queuesWithJobs(boss, work);
    for (const { name, handler } of work.registrations.values()) {
      if (!waiting.has(name)) continue;
      for (const job of await boss.fetch<unknown>(name, {
        batchSize: 1,
        ignoreStartAfter: work.ignoreStartAfter,
      })) {
        found = true;
        try {
          await handler(job.data);
          await boss.complete(name, job.id);
        } catch (error) {
          failures.push(error);
          await boss.fail(name, job.id, { message: String(error) });
        }
      }
    }
  }
  return failures;
}

/**
 * A job exists if and only if its transaction commits. One payload type per name, parsed by the
 * handler, which is retried with back-off and must be idempotent.
 */
export type Queue = {
  enqueue(trx: Transaction, name: string, payload: object, rules?: JobRules): Promise<void>;
  enqueueAll(
    trx: Transaction,
    name: string,
    jobs: readonly (JobRules & { readonly payload: object })[],
  ): Promise<void>;
  withdraw(trx: Transaction, name: string, id: string): Promise<void>;
  /** Called before `start`; the queue retries. */
  handle(name: string, options: QueueOptions, handler: (payload: unknown) => Promise<void>): void;
  /** Runs by cron in Europe/Paris, once for all processes. */
  schedule(name: string, cron: string, handler: () => Promise<void>): void;
  /** Called before `start`. The worker runs, is checked and stops with the jobs. */
  attach(worker: Worker): void;
  /** A web process only enqueues. */
  start(mode: "work" | "enqueue"): Promise<void>;
  /** Errors: names stalled jobs. */
  check(): Promise<void>;
  /** Waits for the running step, 10 s at most. */
  stop(): Promise<void>;
};

export type Worker = {
  start(): void;
  check(): void;
  /** Resolves once all that began is written. */
  stop(): Promise<void>;
  /** Runs what is due, with `deferred` what waits, in turn. */
  drain(options: { readonly deferred: boolean }): Promise<{
    readonly found: boolean;
    readonly failures: readonly unknown[];
  }>;
};

/** The job cannot run now: it is retried, and is no fault. */
export class PutOffError extends Error {
  override readonly name: string = "PutOffError";
}

export type JobRules = {
  /** Only one job of a key waits or runs. */
  readonly singletonKey?: string;
  readonly startAfter?: Date;
  readonly id?: string;
};

export type QueueOptions = {
  readonly concurrency: number;
  readonly retryLimit: number;
  readonly retryDelayS: number;
  readonly retryDelayMaxS: number;
  readonly expireInS: number;
};
