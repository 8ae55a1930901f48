import { setTimeout as sleep } from "node:timers/promises";
import { type Problem, type Result, failure, problem, success } from "@paraphe/contracts";

function createPlaces(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    isFull: () => free === 0,
    waitingCount: () => waiting.length,
    async enter(): Promise<void> {
      // The place passes to the next: `free` does not change.
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
    },
    leave(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

/** Refuses with `service_unavailable` before memory is full. */
export type BoundedQueue = <T>(work: () => Promise<T>) => Promise<Result<T, Problem>>;

export function createBoundedQueue(bounds: {
  readonly concurrency: number;
  readonly longest: number;
}): BoundedQueue {
  const places = createPlaces(bounds.concurrency);
  return async (work) => {
    if (places.isFull() && places.waitingCount() >= bounds.longest)
      return failure(problem("service_unavailable", { retryAfterS: 2 }));
    await places.enter();
    try {
      return success(await work());
    } finally {
      places.leave();
    }
  };
}

type EndTurn = () => void;

/** Turns come in the order of asking, within this process. */
export type KeyedQueue = {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Null when too many wait, or `gone` was aborted. */
  take(key: string, gone: AbortSignal): Promise<EndTurn | null>;
};

/** `places`: keys at work at once, unbounded by default; `longest`: waiting for one key. */
export function serialByKey({
  places: count = Number.POSITIVE_INFINITY,
  longest = Number.POSITIVE_INFINITY,
}: {
  readonly places?: number;
  readonly longest?: number;
} = {}): KeyedQueue {
  const places = createPlaces(count);
  const lines = new Map<string, (() => void)[]>();

  const endOf = (key: string): EndTurn => {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      places.leave();
      const next = lines.get(key)?.shift();
      if (next === undefined) lines.delete(key);
      else next();
    };
  };

  async function take(key: string, gone?: AbortSignal): Promise<EndTurn | null> {
    if (gone?.aborted) return null;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, []);
    else if (line.length >= longest || !(await waitIn(line, gone))) return null;
    await places.enter();
    return endOf(key);
  }

  return {
    take,
    async run(key, work) {
      const end = await take(key);
      if (end === null) throw new Error(`More than ${longest} wait for ${key}`);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}

function waitIn(line: (() => void)[], gone?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = () => {
      line.splice(line.indexOf(begin), 1);
      resolve(false);
    };
    const begin = () => {
      gone?.removeEventListener("abort", giveUp);
      resolve(true);
    };
    gone?.addEventListener("abort", giveUp, { once: true });
    line.push(begin);
  });
}

/** Background work is delayed, never stopped. */
const LONGEST_WAIT_MS = 250;

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

/** Runs the work once at a time, and again when it was asked for meanwhile. */
export function oneAtATime(work: () => Promise<void>): { ask(): void; rest(): Promise<void> } {
  let isAsked = false;
  let running: Promise<void> | null = null;
  const run = async () => {
    while (isAsked) {
      isAsked = false;
      await work();
    }
    // Set at once: a call between the last look and a later moment would be lost.
    running = null;
  };
  return {
    ask() {
      isAsked = true;
      running ??= run();
    },
    rest: async () => running ?? undefined,
  };
}
