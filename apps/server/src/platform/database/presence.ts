import { randomInt } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Log } from "../logs/log.ts";
import { type LastingConnection, openLastingConnection } from "./lasting-connection.ts";

/**
 * Seen by the database while this process lives: an advisory lock on a connection of its own, from
 * first use.
 */
export type Presence = {
  /** Null while unseen: whether it lives is unknown. */
  id(): Promise<number | null>;
  close(): Promise<void>;
};

const PRESENCE_LOCKS = 7_372_072;
const SEEN_WITHIN_MS = 2_000;
/** A live process is back by then. */
export const GONE_AFTER_MS = 5_000;
/** A vanished machine is dropped after 25 s, not two hours. */
const GIVE_UP =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

export function createPresence(options: { readonly url: string; readonly log: Log }): Presence {
  // One for all connections: one not dropped yet still counts.
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

/** True when no process has it; the shared lock disturbs nobody. */
export function isGone(column: string): RawBuilder<boolean> {
  return sql`pg_try_advisory_xact_lock_shared(${sql.lit(PRESENCE_LOCKS)}, ${sql.ref(column)})`;
}
