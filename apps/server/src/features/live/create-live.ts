import { failure, LIVE_HEARTBEAT_S, problem, type Result, success } from "@paraphe/contracts";
import { EVERYTHING } from "../../platform/database/announce-changes.ts";
import type { Listening } from "../../platform/database/listen.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/public.ts";
import { createChangeLine } from "./change-line.ts";
import { eventText, HEARTBEAT, retryText } from "./domain/live-event.ts";
import { createStreamBook } from "./domain/stream-book.ts";
import { keepSignedIn } from "./keep-signed-in.ts";
import { endStream, leaveStream, type LiveDeps, type LiveStream, type Outlet, sendText } from "./live-stream.ts";
import { tellChanges } from "./tell-changes.ts";
import { tellCounts } from "./tell-counts.ts";

/** The live changes of one process: whoever is signed in opens a stream, and is told what happens to their envelopes, whichever process did it. */
export type Live = {
  /** Opens a stream; the value closes it from the browser's side. Errors: `service_unavailable` while changes do not arrive. */
  open(user: SessionUser, outlet: Outlet): Promise<Result<() => void>>;
  close(): Promise<void>;
};

/** Changes must arrive by then, or the browser is sent back to asking by itself. */
const ARRIVAL_MS = 3_000;

/** Gives the live changes of this process. The first stream makes it listen: a process without one holds no connection for it. */
export function createLive(platform: Platform, options: { readonly heartbeatMs?: number } = {}): Live {
  const deps: LiveDeps = { platform, book: createStreamBook<LiveStream>() };
  const line = createChangeLine(deps, tellChanges);
  let listening: Listening | null = null;
  let heart: NodeJS.Timeout | undefined;
  let isClosed = false;
  const listen = () => {
    heart ??= setInterval(() => void beat(deps), options.heartbeatMs ?? LIVE_HEARTBEAT_S * 1_000).unref();
    listening ??= platform.listen("envelope_changed", {
      onMessage: (message) => (message === EVERYTHING ? refresh(deps) : line.add(message)),
      onGap: () => refresh(deps),
    });
    return listening;
  };
  return {
    async open(user, outlet) {
      if (isClosed || !(await listen().arrives(ARRIVAL_MS)) || isClosed) return failure(problem("service_unavailable"));
      const stream: LiveStream = { user, outlet, counts: "" };
      const tooMany = deps.book.add(stream);
      if (tooMany !== null) endStream(deps, tooMany, "replaced");
      outlet.write(retryText(Math.random()));
      try {
        // In the book first: what changes while the counts are read is told after them.
        await tellCounts(deps, [stream]);
      } catch (error) {
        deps.book.remove(stream);
        throw error;
      }
      return success(() => deps.book.remove(stream));
    },
    async close() {
      isClosed = true;
      clearInterval(heart);
      for (const stream of deps.book.all()) leaveStream(deps, stream);
      await Promise.all([listening?.close(), line.rest()]);
    },
  };
}

/** Changes may have been missed: every page asks again. */
function refresh(deps: LiveDeps): void {
  for (const stream of deps.book.all()) sendText(deps, stream, eventText("refresh", {}));
}

async function beat(deps: LiveDeps): Promise<void> {
  try {
    for (const stream of await keepSignedIn(deps, deps.book.all())) sendText(deps, stream, HEARTBEAT);
  } catch (error) {
    deps.platform.log.warn({ error }, "the sessions of the live streams could not be read");
  }
}
