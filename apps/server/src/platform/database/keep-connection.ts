import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../logs/log.ts";
import { PreparingClient } from "./preparing-client.ts";

export type KeptConnection = {
  /** Gives whether the connection is there and prepared; waits that long for it. */
  isThere(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
};

export type ConnectionToKeep = {
  readonly url: string;
  readonly applicationName: string;
  readonly log: Log;
  /** Done on each new connection, before it counts as there. */
  prepare(client: pg.Client): Promise<unknown>;
  /** The connection was lost and is back. */
  onBack?(): void;
};

const FIRST_RETRY_MS = 250;
const MOST_RETRY_MS = 10_000;
const ANSWER_MS = 10_000;

/** Keeps one connection to the database, made again whenever it is lost. */
export function keepConnection(options: ConnectionToKeep): KeptConnection {
  const stop = new AbortController();
  const state = createState();
  const ended = keep({ ...options, state, signal: stop.signal });
  return {
    isThere: (withinMs) => state.waitFor(withinMs),
    async close() {
      stop.abort();
      await ended;
    },
  };
}

type Line = ConnectionToKeep & { readonly state: State; readonly signal: AbortSignal };

async function keep(line: Line): Promise<void> {
  for (let attempt = 0; !line.signal.aborted; attempt++) {
    const began = Date.now();
    try {
      await connectOnce(line);
    } catch (error) {
      if (!line.signal.aborted) line.log.warn({ error, connection: line.applicationName }, "a kept connection was lost");
    }
    line.state.set("away");
    if (Date.now() - began > MOST_RETRY_MS) attempt = 0;
    const delay = Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random());
    await sleep(delay, undefined, { signal: line.signal, ref: false }).catch(() => {});
  }
}

/** Resolves when the connection is no longer wanted; throws when it fails. */
async function connectOnce({ url, applicationName, prepare, onBack, state, signal }: Line): Promise<void> {
  const client = new PreparingClient({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  const over = new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.once("end", () => reject(new Error("The connection was closed")));
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  over.catch(() => {});
  try {
    await Promise.race([client.connect(), over]);
    await prepare(client);
    if (state.set("there") === "again") onBack?.();
    await over;
  } finally {
    // A server that answers no more would hold the end back for ever.
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
  }
}

type State = ReturnType<typeof createState>;

/** Whether the connection is there, and who waits for it. */
function createState() {
  let isThere = false;
  let wasThere = false;
  const waiting = new Set<() => void>();
  return {
    set(now: "there" | "away"): "first" | "again" | "away" {
      isThere = now === "there";
      if (!isThere) return "away";
      for (const wake of waiting) wake();
      const before = wasThere;
      wasThere = true;
      return before ? "again" : "first";
    },
    async waitFor(withinMs: number): Promise<boolean> {
      if (isThere) return true;
      const timer = new AbortController();
      let wake = () => {};
      const arrived = new Promise<void>((resolve) => {
        wake = resolve;
        waiting.add(wake);
      });
      await Promise.race([arrived, sleep(withinMs, undefined, { signal: timer.signal, ref: false }).catch(() => {})]);
      timer.abort();
      waiting.delete(wake);
      return isThere;
    },
  };
}
