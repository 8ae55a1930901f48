import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { CoreOutcome } from "./corpus-worker.ts";

/** `seconds`: of CPU. */
export type Signed = {
  readonly core: CoreOutcome;
  readonly anchor: string;
  readonly seconds: number;
};

/** A longer run is a hang; the CPU seconds measure the work. */
const LIMIT_MS = 60_000;

/** Signs files one after the other in a thread; a file that hangs or ends it costs a new thread. */
export function createSigningThread(folder: string): {
  sign(name: string, path: string): Promise<Signed>;
  close(): Promise<void>;
} {
  let made = 0;
  let running: { worker: Worker; anchor: string } | null = null;
  async function start(): Promise<{ worker: Worker; anchor: string }> {
    made += 1;
    const worker = new Worker(new URL("./corpus-worker.ts", import.meta.url), {
      workerData: { folder, id: made },
    });
    const [{ ready }] = (await once(worker, "message")) as [{ ready: string }];
    return { worker, anchor: ready };
  }
  async function close(): Promise<void> {
    await running?.worker.terminate();
    running = null;
  }
  return {
    close,
    async sign(name, path) {
      running ??= await start();
      const { worker, anchor } = running;
      const before = await worker.cpuUsage();
      const core = await answerOf(worker, { name, path });
      // The thread may have ended.
      const { user, system } = await worker.cpuUsage(before).catch(() => ({ user: 0, system: 0 }));
      if (core.outcome === "crash") await close();
      return { core, anchor, seconds: (user + system) / 1_000_000 };
    },
  };
}

function answerOf(worker: Worker, question: { name: string; path: string }): Promise<CoreOutcome> {
  return new Promise((resolve) => {
    const limit = setTimeout(
      () => end({ outcome: "crash", reason: "no answer after 60 s" }),
      LIMIT_MS,
    );
    const crash = (error: unknown): void => end({ outcome: "crash", reason: String(error) });
    const end = (outcome: CoreOutcome): void => {
      clearTimeout(limit);
      worker.off("message", end);
      worker.off("error", crash);
      resolve(outcome);
    };
    worker.on("message", end);
    worker.on("error", crash);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(question);
  });
}
