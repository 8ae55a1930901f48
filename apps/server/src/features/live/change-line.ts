import { setTimeout as sleep } from "node:timers/promises";
import type { LiveDeps } from "./live-stream.ts";

/** Takes messages of changes as they come, and tells of them together. */
export type ChangeLine = { add(message: string): void; rest(): Promise<void> };

/** Changes that come this close to one another are told at once: sending an envelope makes several. */
const TOGETHER_MS = 40;
const AGAIN_MS = 1_000;

/** Gives the line between what the database announces and the streams: one telling at a time, each change once however often it was announced meanwhile. */
export function createChangeLine(deps: LiveDeps, tell: (deps: LiveDeps, messages: readonly string[]) => Promise<void>): ChangeLine {
  let waiting = new Set<string>();
  let running: Promise<void> | null = null;
  const run = async () => {
    while (waiting.size > 0) {
      await sleep(TOGETHER_MS, undefined, { ref: false });
      const messages = waiting;
      waiting = new Set();
      if (deps.book.size === 0) continue;
      try {
        await tell(deps, [...messages]);
      } catch (error) {
        deps.platform.log.warn({ error }, "live changes could not be told yet");
        for (const message of messages) waiting.add(message);
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  };
  return {
    add(message) {
      if (deps.book.size === 0) return;
      waiting.add(message);
      running ??= run().finally(() => {
        running = null;
      });
    },
    async rest() {
      waiting.clear();
      await running;
    },
  };
}
