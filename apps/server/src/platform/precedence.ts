import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** What gives way begins after that at the latest: it is delayed, never stopped. */
const LONGEST_WAIT_MS = 250;

/** Which work comes first in one process, where all of it shares a thread and the database's connections. */
export type Precedence = {
  /** Says that somebody waits for work that begins now; the function that it gives says that it has ended. */
  begin(): () => void;
  /** Resolves when nobody waits for anything, and after a quarter of a second in any case. */
  giveWay(): Promise<void>;
};

export function createPrecedence(): Precedence {
  const awaited = new Set<symbol>();
  const ends = new EventTarget();
  return {
    begin() {
      const work = Symbol("work");
      awaited.add(work);
      return () => {
        if (awaited.delete(work) && awaited.size === 0) ends.dispatchEvent(new Event("quiet"));
      };
    },
    async giveWay() {
      if (awaited.size === 0) return;
      const stop = new AbortController();
      const rules = { signal: stop.signal };
      await Promise.race([once(ends, "quiet", rules), sleep(LONGEST_WAIT_MS, undefined, rules)]);
      stop.abort();
    },
  };
}
