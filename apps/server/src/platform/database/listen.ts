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

/**
 * Listens on a connection of its own, renewed whenever it is lost. Source: PostgreSQL 18, LISTEN.
 */
export type Listen = (
  channel: "envelope_changed" | "notices",
  handlers: ListenHandlers,
) => Listening;

export function createListen(options: { readonly url: string; readonly log: Log }): Listen {
  return (channel, handlers) => {
    const kept = openLastingConnection({
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
