import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../logs/log.ts";
import { openLastingConnection } from "./lasting-connection.ts";

export type ListenHandlers = {
  onMessage(payload: string): void;
  /** Messages may be missing. */
  onGap(): void;
};

export type Listening = {
  arrives(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
};

const BACK_WITHIN_MS = 30_000;

/** Those of connections that ended without a word. */
const FORGET = `delete from listeners l where not exists (
  select from pg_stat_activity a where a.pid = l.pid and coalesce(a.backend_start, l.started_at) = l.started_at)`;
const REGISTER = `insert into listeners select pid, backend_start from pg_stat_activity where pid = pg_backend_pid()
  returning pg_current_xact_id()::text as id`;
const LEAVE = "delete from listeners where pid = pg_backend_pid()";

/** A transaction may have looked for listeners before this one was there. */
const HAVE_ENDED = "select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as ended";
const LOOK_MS = 20;
const PATIENCE_MS = 2_000;

/**
 * Listens on a connection of its own, renewed whenever it is lost. Source: PostgreSQL 18, LISTEN.
 */
export type Listen = (
  channel: "envelope_changed" | "notices",
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
        await register(client);
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
