import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "./platform/logs/log.ts";

/** A process that cannot start must not occupy the machine. */
const RESTART_MS = 1_000;

/** A web process ended before it listened; it has said why. */
export class WebProcessError extends Error {
  override readonly name = "WebProcessError";
  readonly exitCode: number;
  constructor(exitCode: number) {
    super("a web process could not start");
    this.exitCode = exitCode;
  }
}

/** Web processes that share this process's address. `stop` asks them to, and waits. */
export type WebProcesses = { stop(): Promise<void> };

/** Resolves once all listen; one that ends later is replaced. Errors: `WebProcessError`. */
export async function startWebProcesses(count: number, log: Log): Promise<WebProcesses> {
  let stopping = false;
  const ending = new Map<Worker, Promise<unknown>>();
  const open = () => {
    // Their figures would be one process's, at random.
    const worker = cluster.fork({ ROLE: "web", METRICS_LISTEN: "" });
    ending.set(worker, once(worker, "exit"));
    worker.once("exit", () => ending.delete(worker));
    return worker;
  };
  const replace = async (): Promise<void> => {
    log.error({}, "a web process ended and is replaced");
    await sleep(RESTART_MS);
    if (!stopping) watch(open());
  };
  const watch = (worker: Worker) =>
    worker.once("exit", () => (stopping ? undefined : void replace()));
  const stop = async () => {
    stopping = true;
    const left = [...ending];
    for (const [worker] of left) worker.process.kill("SIGTERM");
    await Promise.all(left.map(([, end]) => end));
  };
  const workers = Array.from({ length: count }, open);
  try {
    await Promise.all(workers.map(waitUntilListening));
  } catch (error) {
    await stop();
    throw error;
  }
  for (const worker of workers) watch(worker);
  return { stop };
}

function waitUntilListening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("listening", () => resolve());
    worker.once("exit", (code) => reject(new WebProcessError(code ?? 1)));
  });
}
