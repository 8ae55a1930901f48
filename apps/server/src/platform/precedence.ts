import { setTimeout as sleep } from "node:timers/promises";

/** Background work is delayed, never stopped. */
const LONGEST_WAIT_MS = 250;

/** Foreground work comes first: both share the thread and the connections. */
export type Precedence = {
  begin(): () => void;
  /** Resolves once no foreground work runs, or after a quarter of a second. */
  giveWay(): Promise<void>;
};

export function createPrecedence(): Precedence {
  const foreground = new Set<symbol>();
  let quiet = Promise.withResolvers<void>();
  return {
    begin() {
      const work = Symbol("work");
      foreground.add(work);
      return () => {
        if (!foreground.delete(work) || foreground.size > 0) return;
        quiet.resolve();
        quiet = Promise.withResolvers();
      };
    },
    async giveWay() {
      if (foreground.size === 0) return;
      const stop = new AbortController();
      await Promise.race([
        quiet.promise,
        sleep(LONGEST_WAIT_MS, undefined, { signal: stop.signal }),
      ]);
      stop.abort();
    },
  };
}
