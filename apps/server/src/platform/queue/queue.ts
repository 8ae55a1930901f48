import type { Transaction } from "../database/database.ts";

/**
 * Durable jobs. A job enqueued in a transaction exists if and only if that transaction commits.
 * Each job name has one payload type, parsed by its handler. A handler that throws is retried with back-off; it may run twice, so it must be idempotent.
 */
export type Queue = {
  enqueue(trx: Transaction, name: string, payload: object, rules?: JobRules): Promise<void>;
  /** Adds jobs of one name in one statement. */
  enqueueAll(
    trx: Transaction,
    name: string,
    jobs: readonly (JobRules & { readonly payload: object })[],
  ): Promise<void>;
  /** Takes back the job of this id, given when it was enqueued; one that is gone is not an error. */
  withdraw(trx: Transaction, name: string, id: string): Promise<void>;
  /** Registers the handler of a job name; called before `start`. `retryLimit`, `retryDelayS` and back-off are the queue's. */
  handle(name: string, options: QueueOptions, handler: (payload: unknown) => Promise<void>): void;
  /** Registers a job run on a schedule (cron, Europe/Paris), once whatever the number of processes. */
  schedule(name: string, cron: string, handler: () => Promise<void>): void;
  /** Starts working (ROLE all or worker), or only enqueuing (ROLE web). */
  start(mode: "work" | "enqueue"): Promise<void>;
  /** Resolves while jobs are taken up, or where they are only enqueued. Errors: says which are not. */
  check(): Promise<void>;
  /** Lets the running step finish, 10 s at most. */
  stop(): Promise<void>;
};

/** A job cannot be done at this moment, and nothing is wrong: it is tried again, as one that failed. */
export class PutOffError extends Error {
  override readonly name: string = "PutOffError";
}

export type JobRules = {
  /** While such a job waits or runs, another with the same key is not added. */
  readonly singletonKey?: string;
  /** Not before that moment. */
  readonly startAfter?: Date;
  /** A UUID to withdraw it by; the queue's own choice without. */
  readonly id?: string;
  /** Of the jobs that wait, the highest goes first, then the oldest; 0 unless told. */
  readonly priority?: number;
};

export type QueueOptions = {
  readonly concurrency: number;
  readonly retryLimit: number;
  readonly retryDelayS: number;
  readonly retryDelayMaxS: number;
  readonly expireInS: number;
};
