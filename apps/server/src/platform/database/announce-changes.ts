import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export type Announcement = { readonly channel: string; readonly payload: string };

/** The NOTICEs of `tell_change` and `tell_channel` have these codes. */
const CHANGE_SQLSTATE = "CHGD0";
const CHANNEL_SQLSTATE = "CHGD1";

const CHANGES = "envelope_changed";

export const EVERYTHING = "refresh";

const TOGETHER_MS = 40;
const AGAIN_MS = 1_000;
const MOST = 1_000;

/** Does not wait for the disk: a crash cuts the listeners, which then load everything. */
export const ANNOUNCE_SQL = `with quick as materialized (select set_config('synchronous_commit', 'off', true))
  select pg_notify(channel, payload) from quick, unnest($1::text[], $2::text[]) as messages (channel, payload)`;
export const announceValues = (messages: readonly Announcement[]): string[][] => [
  messages.map(({ channel }) => channel),
  messages.map(({ payload }) => payload),
];

export type ChangeAnnouncer = {
  add(message: Announcement): void;
  rest(): Promise<void>;
};

/**
 * Announces within some 40 ms of the commit, and retries each second while the database refuses.
 */
export function createChangeAnnouncer(
  announce: (messages: readonly Announcement[]) => Promise<unknown>,
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
      const messages =
        all.length <= MOST
          ? all
          : [
              ...all.filter(({ channel }) => channel !== CHANGES),
              { channel: CHANGES, payload: EVERYTHING },
            ];
      waiting = new Map();
      try {
        await announce(messages);
      } catch (error) {
        onTrouble(error);
        if (stop.signal.aborted) return;
        for (const one of messages) waiting.set(keyOf(one), one);
        await pause(AGAIN_MS);
      }
      if (waiting.size > 0) await pause(TOGETHER_MS);
    }
  };
  return {
    add(message) {
      if (stop.signal.aborted) return;
      if (waiting.size <= MOST || message.channel !== CHANGES) waiting.set(keyOf(message), message);
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
 * Gives a connection's changes once committed, or once it broke before the commit's answer.
 * Source: PostgreSQL 18, §54.2 (ReadyForQuery, CommandComplete: the commit of a failed transaction
 * says ROLLBACK).
 */
export function hearCommitted(client: pg.Client, give: (message: Announcement) => void): void {
  const heard = new Map<string, Announcement>();
  let isCommitted = true;
  const settle = () => {
    if (isCommitted) for (const message of heard.values()) give(message);
    heard.clear();
  };
  client.on("notice", ({ code, message: payload, detail }) => {
    const channel =
      code === CHANGE_SQLSTATE ? CHANGES : code === CHANNEL_SQLSTATE ? detail : undefined;
    if (channel === undefined || payload === undefined) return;
    const message = { channel, payload };
    heard.set(keyOf(message), message);
  });
  client.connection.on("commandComplete", ({ text }: { text: string }) => {
    isCommitted = text !== "ROLLBACK";
  });
  client.connection.on("errorMessage", () => {
    isCommitted = false;
  });
  client.connection.on("readyForQuery", ({ status }: { status: string }) => {
    if (heard.size > 0 && status === "I") settle();
  });
  client.once("end", () => {
    isCommitted = true;
    settle();
  });
}
