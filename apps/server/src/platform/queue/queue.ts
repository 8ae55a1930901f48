import type { Transaction } from "../database/database.ts";

/**
 * Durable jobs: a job exists if and only if its transaction commits.
 * One payload type per name, parsed by the handler, which is retried with back-off and must be
 * idempotent.
 */
export type Queue = {
  enqueue(trx: Transaction, name: string, payload: object, rules?: JobRules): Promise<void>;
  enqueueAll(
    trx: Transaction,
    name: string,
    jobs: readonly (JobRules & { readonly payload: object })[],
  ): Promise<void>;
  /** By the id of its enqueuing; a job that is gone is not an error. */
  withdraw(trx: Transaction, name: string, id: string): Promise<void>;
  /** Before `start`. Retries and back-off are the queue's. */
  handle(name: string, options: QueueOptions, handler: (payload: unknown) => Promise<void>): void;
  /** Cron, Europe/Paris; once for all processes. */
  schedule(name: string, cron: string, handler: () => Promise<void>): void;
  /** Before `start`. Works, is checked and stops with the jobs. */
  attach(worker: Worker): void;
  /** ROLE all and worker work, web only enqueues. */
  start(mode: "work" | "enqueue"): Promise<void>;
  /** Resolves while jobs run, or are only enqueued. Errors: names the stalled ones. */
  check(): Promise<void>;
  /** Waits for the running step, 10 s at most. */
  stop(): Promise<void>;
};

/** Work that waits in a table of its own. */
export type Worker = {
  start(): void;
  /** Errors: throws when it has stalled. */
  check(): void;
  /** Resolves once all that began is written. */
  stop(): Promise<void>;
  /** Does all that is due, with `deferred` all that waits, one after the other. */
  drain(options: { readonly deferred: boolean }): Promise<{
    readonly found: boolean;
    readonly failures: readonly unknown[];
  }>;
};

/** Not a fault: the job cannot run at this moment and is retried. */
export class PutOffError extends Error {
  override readonly name: string = "PutOffError";
}

export type JobRules = {
  /** While one waits or runs, no other of the key is added. */
  readonly singletonKey?: string;
  readonly startAfter?: Date;
  readonly id?: string;
  /** Highest first, then oldest; default 0. */
  readonly priority?: number;
};

export type QueueOptions = {
  readonly concurrency: number;
  readonly retryLimit: number;
  readonly retryDelayS: number;
  readonly retryDelayMaxS: number;
  readonly expireInS: number;
};
