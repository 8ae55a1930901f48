import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** What a trigger tells the connection that makes a change (`tell_change`, migration 0047). */
const CHANGE_SQLSTATE = "CHGD0";

/** Says that anything may have changed: whoever listens asks for everything again. */
export const EVERYTHING = "refresh";

/** Changes that are committed this close to one another are announced at once. */
const TOGETHER_MS = 40;
const AGAIN_MS = 1_000;
/** More than this many are told as `EVERYTHING`. */
const MOST = 1_000;

/**
 * Announces changes to every process, in a transaction of its own. It is not waited for on the disk: what a crash of the server loses, the listeners,
 * whose connections it cuts, ask for anyhow.
 */
export const ANNOUNCE_SQL = `with quick as materialized (select set_config('synchronous_commit', 'off', true))
  select pg_notify('envelope_changed', change) from quick, unnest($1::text[]) as change`;

export type ChangeAnnouncer = {
  add(change: string): void;
  /** Announces what waits, and nothing afterwards: called once nothing is committed any more. */
  rest(): Promise<void>;
};

/**
 * Gives the announcer of one process: a change is announced within some 40 ms of its commit, once however often it was made, and again every second
 * while the database does not take it.
 */
export function createChangeAnnouncer(
  announce: (changes: readonly string[]) => Promise<unknown>,
  onTrouble: (error: unknown) => void,
): ChangeAnnouncer {
  const stop = new AbortController();
  let waiting = new Set<string>();
  let running: Promise<void> | null = null;
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stop.signal }).catch(() => {});
  const run = async () => {
    await pause(TOGETHER_MS);
    while (waiting.size > 0) {
      const changes = waiting.size > MOST ? [EVERYTHING] : [...waiting];
      waiting = new Set();
      try {
        await announce(changes);
      } catch (error) {
        onTrouble(error);
        if (stop.signal.aborted) return;
        for (const change of changes) waiting.add(change);
        await pause(AGAIN_MS);
      }
      if (waiting.size > 0) await pause(TOGETHER_MS);
    }
  };
  return {
    add(change) {
      if (stop.signal.aborted) return;
      if (waiting.size <= MOST) waiting.add(change);
      running ??= run().finally(() => {
        running = null;
      });
    },
    async rest() {
      stop.abort();
      await running;
    },
  };
}

/**
 * Hears what changes in the transactions of a connection, and gives it once each is committed. What was rolled back is dropped; where the answer to a
 * commit was lost with the connection, it is given all the same.
 * Source: PostgreSQL 18, §54.2 (ReadyForQuery, CommandComplete: the commit of a failed transaction says ROLLBACK).
 */
export function hearCommitted(client: pg.Client, give: (change: string) => void): void {
  const changes = new Set<string>();
  let isKept = true;
  const settle = () => {
    if (isKept) for (const change of changes) give(change);
    changes.clear();
  };
  client.on("notice", ({ code, message }) => {
    if (code === CHANGE_SQLSTATE && message !== undefined) changes.add(message);
  });
  client.connection.on("commandComplete", ({ text }: { text: string }) => {
    isKept = text !== "ROLLBACK";
  });
  client.connection.on("errorMessage", () => {
    isKept = false;
  });
  client.connection.on("readyForQuery", ({ status }: { status: string }) => {
    if (changes.size > 0 && status === "I") settle();
  });
  client.once("end", () => {
    isKept = true;
    settle();
  });
}
