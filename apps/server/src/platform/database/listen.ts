import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../logs/log.ts";

export type ListenHandlers = {
  /** One message of the channel, once its transaction is committed. */
  onMessage(payload: string): void;
  /** The connection was lost and is back: messages may have been missed. */
  onGap(): void;
};

export type Listening = {
  /** Gives whether messages arrive; waits that long for it. */
  arrives(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
};

/** Listens to a channel of the database, on a connection of its own that is made again whenever it is lost. Source: PostgreSQL 18, LISTEN. */
export type Listen = (channel: "envelope_changed", handlers: ListenHandlers) => Listening;

const FIRST_RETRY_MS = 250;
const MOST_RETRY_MS = 10_000;
/** A connection whose other end vanished without a word is found out by a question. */
const PROBE_MS = 30_000;
const ANSWER_MS = 10_000;

/** Gives the way to listen on the database at this address. */
export function createListen(options: { readonly url: string; readonly log: Log }): Listen {
  return (channel, handlers) => {
    const stop = new AbortController();
    const state = createState();
    const ended = keepListening({ ...options, channel, handlers, state, signal: stop.signal });
    return {
      arrives: (withinMs) => state.waitFor(withinMs),
      async close() {
        stop.abort();
        await ended;
      },
    };
  };
}

type Line = {
  readonly url: string;
  readonly log: Log;
  readonly channel: string;
  readonly handlers: ListenHandlers;
  readonly state: State;
  readonly signal: AbortSignal;
};

async function keepListening(line: Line): Promise<void> {
  for (let attempt = 0; !line.signal.aborted; attempt++) {
    const began = Date.now();
    try {
      await listenOnce(line);
    } catch (error) {
      if (!line.signal.aborted) line.log.warn({ error, channel: line.channel }, "the listening connection was lost");
    }
    line.state.set("away");
    if (Date.now() - began > MOST_RETRY_MS) attempt = 0;
    const delay = Math.min(MOST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random());
    await sleep(delay, undefined, { signal: line.signal, ref: false }).catch(() => {});
  }
}

/** Resolves when the listening was stopped; throws when the connection fails. */
async function listenOnce({ url, channel, handlers, state, signal }: Line): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "paraphe-live",
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
  });
  const over = new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.once("end", () => reject(new Error("The listening connection was closed")));
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  over.catch(() => {});
  client.on("notification", ({ payload }) => handlers.onMessage(payload ?? ""));
  let probe: NodeJS.Timeout | undefined;
  try {
    await Promise.race([client.connect(), over]);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    if (state.set("there") === "again") handlers.onGap();
    const failed = new Promise<never>((_, reject) => {
      probe = setInterval(() => void client.query("select 1").catch(reject), PROBE_MS).unref();
    });
    await Promise.race([over, failed]);
  } finally {
    clearInterval(probe);
    // A server that answers no more would hold the end back for ever.
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
  }
}

type State = ReturnType<typeof createState>;

/** Whether messages arrive, and who waits for it. */
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
