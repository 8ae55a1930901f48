import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../logs/log.ts";
import { PreparingClient } from "./preparing-client.ts";
import { randomInt } from "node:crypto";
import { type RawBuilder, sql } from "kysely";

type LastingConnection = {
  isThere(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
};

type LastingConnectionOptions = {
  readonly url: string;
  readonly applicationName: string;
  readonly log: Log;
  /** Milliseconds after the database is back: a try that hangs, a pause, the next try. */
  readonly backWithinMs: number;
  prepare(client: pg.Client): Promise<unknown>;
  onBack?(): void;
};

const FIRST_RETRY_MS = 250;

export function paceOf(backWithinMs: number): {
  readonly answerMs: number;
  readonly longestPauseMs: number;
} {
  const third = Math.floor(backWithinMs / 3);
  return { answerMs: third, longestPauseMs: third };
}

/** `chance`, 0 to 1, spreads the attempts of many clients. */
export function pauseAfter({
  attempt,
  longestPauseMs,
  chance,
}: {
  attempt: number;
  longestPauseMs: number;
  chance: number;
}): number {
  return Math.min(longestPauseMs, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (1 + chance) * 0.5;
}

function openLastingConnection(options: LastingConnectionOptions): LastingConnection {
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

type Line = LastingConnectionOptions & { readonly state: State; readonly signal: AbortSignal };

async function keep(line: Line): Promise<void> {
  const { longestPauseMs } = paceOf(line.backWithinMs);
  for (let attempt = 0; !line.signal.aborted; attempt++) {
    const began = Date.now();
    try {
      await connectOnce(line);
    } catch (error) {
      if (!line.signal.aborted)
        line.log.warn({ error, connection: line.applicationName }, "a kept connection was lost");
    }
    line.state.set("away");
    if (Date.now() - began > line.backWithinMs) attempt = 0;
    await sleep(pauseAfter({ attempt, longestPauseMs, chance: Math.random() }), undefined, {
      signal: line.signal,
      ref: false,
    }).catch(() => {});
  }
}

/** Resolves when no longer wanted; throws when it fails. */
async function connectOnce({
  url,
  applicationName,
  prepare,
  onBack,
  state,
  signal,
  backWithinMs,
}: Line): Promise<void> {
  const { answerMs } = paceOf(backWithinMs);
  const client = new PreparingClient({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    keepAlive: true,
  });
  const ended = new AbortController();
  const over = new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.once("end", () => reject(new Error("The connection was closed")));
    signal.addEventListener("abort", () => resolve(), { signal: ended.signal });
  });
  over.catch(() => {});
  try {
    await Promise.race([client.connect(), over]);
    await prepare(client);
    if (state.set("there") === "again") onBack?.();
    await over;
  } finally {
    ended.abort();
    // A silent server would block the end.
    await Promise.race([client.end().catch(() => {}), sleep(1_000, undefined, { ref: false })]);
  }
}

type State = ReturnType<typeof createState>;

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
      await Promise.race([
        arrived,
        sleep(withinMs, undefined, { signal: timer.signal, ref: false }).catch(() => {}),
      ]);
      timer.abort();
      waiting.delete(wake);
      return isThere;
    },
  };
}

export type ListenHandlers = {
  onMessage(payload: string): void;
  onGap(): void;
};

export type Listening = {
  arrives(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
};

const BACK_WITHIN_MS = 30_000;

/** Forgets connections that ended without a word. */
const FORGET = `delete from listeners l where not exists (
  select from pg_stat_activity a where a.pid = l.pid and coalesce(a.backend_start, l.started_at) = l.started_at)`;
const REGISTER = `insert into listeners select pid, backend_start from pg_stat_activity where pid = pg_backend_pid()
  returning pg_current_xact_id()::text as id`;
const LEAVE = "delete from listeners where pid = pg_backend_pid()";

/** A transaction may have looked before the listener was registered. */
const HAVE_ENDED = "select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as ended";
const LOOK_MS = 20;
const PATIENCE_MS = 2_000;

/** Listens on its own connection, renewed when lost. Source: PostgreSQL 18, LISTEN. */
export type Listen = (
  channel: "envelope_changed" | "notices" | "webhooks" | "mcp",
  handlers: ListenHandlers,
) => Listening;

export function createListen(options: { readonly url: string; readonly log: Log }): Listen {
  return (channel, handlers) => {
    let current: pg.Client | null = null;
    const kept = openLastingConnection({
      ...options,
      applicationName: "paraphe-live",
      backWithinMs: BACK_WITHIN_MS,
      async prepare(client) {
        client.on("notification", ({ payload }) => handlers.onMessage(payload ?? ""));
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
        if (channel === "envelope_changed") await register(client);
        current = client;
      },
      onBack: handlers.onGap,
    });
    return {
      arrives: kept.isThere,
      async close() {
        await current?.query(LEAVE).catch(() => {});
        await kept.close();
      },
    };
  };
}

/** Resolves once every later commit announces its changes, or after two seconds. */
async function register(client: pg.Client): Promise<void> {
  await client.query(FORGET);
  const { rows } = await client.query<{ id: string }>(REGISTER);
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(LOOK_MS)) {
    const look = await client.query<{ ended: boolean }>(HAVE_ENDED, [rows[0]?.id]);
    if (look.rows[0]?.ended) return;
  }
}

/**
 * Shows the database that this process lives: an advisory lock on its own connection, from first
 * use.
 */
export type Presence = {
  /** Null while it cannot be seen whether the process lives. */
  id(): Promise<number | null>;
  close(): Promise<void>;
};

const PRESENCE_LOCKS = 7_372_072;
const SEEN_WITHIN_MS = 2_000;
/** A live process has reconnected by then. */
export const GONE_AFTER_MS = 5_000;
/** A vanished machine is dropped after 25 s, not two hours. */
const GIVE_UP =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

export function createPresence(options: { readonly url: string; readonly log: Log }): Presence {
  // All connections share it: one not dropped yet still counts.
  const number = randomInt(1, 2 ** 31 - 1);
  let kept: LastingConnection | null = null;
  return {
    async id() {
      kept ??= openLastingConnection({
        ...options,
        applicationName: "paraphe-presence",
        backWithinMs: GONE_AFTER_MS,
        async prepare(client) {
          await client.query(GIVE_UP);
          await client.query("select pg_advisory_lock($1, $2)", [PRESENCE_LOCKS, number]);
        },
      });
      return (await kept.isThere(SEEN_WITHIN_MS)) ? number : null;
    },
    async close() {
      await kept?.close();
    },
  };
}

export function isGone(column: string): RawBuilder<boolean> {
  return sql`pg_try_advisory_xact_lock_shared(${sql.lit(PRESENCE_LOCKS)}, ${sql.ref(column)})`;
}
