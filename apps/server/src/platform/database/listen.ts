import type { Log } from "../logs/log.ts";
import { keepConnection } from "./keep-connection.ts";

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

const BACK_WITHIN_MS = 30_000;

/** Listens to a channel of the database, on a connection of its own that is made again whenever it is lost. Source: PostgreSQL 18, LISTEN. */
export type Listen = (channel: "envelope_changed", handlers: ListenHandlers) => Listening;

/** Gives the way to listen on the database at this address. */
export function createListen(options: { readonly url: string; readonly log: Log }): Listen {
  return (channel, handlers) => {
    const kept = keepConnection({
      ...options,
      applicationName: "paraphe-live",
      backWithinMs: BACK_WITHIN_MS,
      prepare(client) {
        client.on("notification", ({ payload }) => handlers.onMessage(payload ?? ""));
        return client.query(`listen ${client.escapeIdentifier(channel)}`);
      },
      onBack: handlers.onGap,
    });
    return { arrives: kept.isThere, close: kept.close };
  };
}
