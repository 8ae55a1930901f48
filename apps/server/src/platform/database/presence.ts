import { randomInt } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Log } from "../logs/log.ts";
import { type KeptConnection, keepConnection } from "./keep-connection.ts";

/**
 * A number of this process that the whole database sees as long as the process lives: an advisory lock held by a connection of its own, which the
 * server lets go the moment that the process dies. Taken at its first use.
 */
export type Presence = {
  /** The number, once it is seen; null while it cannot be, and then nobody can tell whether this process lives. */
  id(): Promise<number | null>;
  close(): Promise<void>;
};

/** Any fixed number: the first half of the locks' keys. */
const PRESENCE_LOCKS = 7_372_072;
const SEEN_WITHIN_MS = 2_000;
/** A process that lives is seen again this long after the database is back, at most; one that is not seen by then is gone. */
export const GONE_AFTER_MS = 5_000;
/** A machine that is gone without a word is given up by the server after 25 s, where its own rules wait two hours. */
const GIVE_UP =
  "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

export function createPresence(options: { readonly url: string; readonly log: Log }): Presence {
  // The same on each connection: one that the server has not missed yet still says that we are there.
  const number = randomInt(1, 2 ** 31 - 1);
  let kept: KeptConnection | null = null;
  return {
    async id() {
      kept ??= keepConnection({
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

/** Says in a statement whether nobody has the number of this column any more: whoever asks holds its lock for the statement alone, beside others who ask. */
export function isGone(column: string): RawBuilder<boolean> {
  return sql`pg_try_advisory_xact_lock_shared(${sql.lit(PRESENCE_LOCKS)}, ${sql.ref(column)})`;
}
