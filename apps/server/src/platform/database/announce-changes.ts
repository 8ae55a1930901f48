import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** One message of one channel. */
export type Announcement = { readonly channel: string; readonly payload: string };

/** The NOTICEs of a transaction: a change (`tell_change`), a notification for any channel (`tell_channel`). */
const CHANGE_SQLSTATE = "CHGD0";
const CHANNEL_SQLSTATE = "CHGD1";

/** The channel of what changes. */
const CHANGES = "envelope_changed";

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
  select pg_notify(channel, payload) from quick, unnest($1::text[], $2::text[]) as told (channel, payload)`;
export const announceValues = (told: readonly Announcement[]): string[][] => [
  told.map(({ channel }) => channel),
  told.map(({ payload }) => payload),
];

export type ChangeAnnouncer = {
  add(told: Announcement): void;
  /** Announces what waits, and nothing afterwards: called once nothing is committed any more. */
  rest(): Promise<void>;
};

/**
 * Gives the announcer of one process: a change is announced within some 40 ms of its commit, once however often it was made, and again every second
 * while the database does not take it.
 */
export function createChangeAnnouncer(
  announce: (told: readonly Announcement[]) => Promise<unknown>,
  onTrouble: (error: unknown) => void,
): ChangeAnnouncer {
  const stop = new AbortController();
  let waiting = new Map<string, Announcement>();
  let running: Promise<void> | null = null;
  const pause = (ms: number) =>
    sleep(ms, undefined, { ref: false, signal: stop.signal }).catch(() => {});
  const run = async () => {
    await pause(TOGETHER_MS);
    while (waiting.size > 0) {
      const all = [...waiting.values()];
      const told =
        all.length <= MOST
          ? all
          : [
              ...all.filter(({ channel }) => channel !== CHANGES),
              { channel: CHANGES, payload: EVERYTHING },
            ];
      waiting = new Map();
      try {
        await announce(told);
      } catch (error) {
        onTrouble(error);
        if (stop.signal.aborted) return;
        for (const one of told) waiting.set(keyOf(one), one);
        await pause(AGAIN_MS);
      }
      if (waiting.size > 0) await pause(TOGETHER_MS);
    }
  };
  return {
    add(told) {
      if (stop.signal.aborted) return;
      if (waiting.size <= MOST || told.channel !== CHANGES) waiting.set(keyOf(told), told);
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

const keyOf = ({ channel, payload }: Announcement): string => `${channel} ${payload}`;

/**
 * Hears what changes in the transactions of a connection, and gives it once each is committed. What was rolled back is dropped; where the answer to a
 * commit was lost with the connection, it is given all the same.
 * Source: PostgreSQL 18, §54.2 (ReadyForQuery, CommandComplete: the commit of a failed transaction says ROLLBACK).
 */
export function hearCommitted(client: pg.Client, give: (told: Announcement) => void): void {
  const heard = new Map<string, Announcement>();
  let isKept = true;
  const settle = () => {
    if (isKept) for (const told of heard.values()) give(told);
    heard.clear();
  };
  client.on("notice", ({ code, message: payload, detail }) => {
    const channel =
      code === CHANGE_SQLSTATE ? CHANGES : code === CHANNEL_SQLSTATE ? detail : undefined;
    if (channel === undefined || payload === undefined) return;
    const told = { channel, payload };
    heard.set(keyOf(told), told);
  });
  client.connection.on("commandComplete", ({ text }: { text: string }) => {
    isKept = text !== "ROLLBACK";
  });
  client.connection.on("errorMessage", () => {
    isKept = false;
  });
  client.connection.on("readyForQuery", ({ status }: { status: string }) => {
    if (heard.size > 0 && status === "I") settle();
  });
  client.once("end", () => {
    isKept = true;
    settle();
  });
}
