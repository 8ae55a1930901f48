import type { QueryClient } from "@tanstack/react-query";
import { forgetKept } from "../../lib/tab-memory.ts";
import { sessionQuery } from "./use-session.ts";

/** One for the page: what it says does not come back to it. */
let shared: BroadcastChannel | undefined;

function openChannel(): BroadcastChannel {
  shared ??= new BroadcastChannel("paraphe-session");
  return shared;
}

/** Tells this browser's other tabs that somebody signed in or out. */
export function tellOtherTabs(what: "came" | "left"): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
  openChannel().postMessage(what);
}

/**
 * Follows what the other tabs do with the session, whose cookies they share: what was read for another person is forgotten before anything
 * else is asked for with the new cookies. Gives the way to stop.
 */
export function followSession(client: QueryClient): () => void {
  const hear = ({ data }: MessageEvent) => {
    if (data === "left") forget(client);
    else void reread(client);
  };
  const channel = openChannel();
  channel.addEventListener("message", hear);
  return () => channel.removeEventListener("message", hear);
}

function forget(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, null);
  client.removeQueries({ predicate: isNotSession });
  forgetKept();
}

async function reread(client: QueryClient): Promise<void> {
  const before = client.getQueryData(sessionQuery.queryKey);
  try {
    const now = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
    if (now?.id !== before?.id) client.removeQueries({ predicate: isNotSession });
  } catch (error) {
    // An outage changes nobody: the next call of this tab will tell.
    console.warn("the session of another tab could not be read", error);
  }
}

function isNotSession({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionQuery.queryKey[0];
}
