import { setTimeout as sleep } from "node:timers/promises";
import { failure, LIVE_HEARTBEAT_S, problem, type Result, success } from "@paraphe/contracts";
import { EVERYTHING } from "../../platform/database/announce-changes.ts";
import type { Listening } from "../../platform/database/listen.ts";
import type { Platform } from "../../platform/platform.ts";
import { livingSessions, type SessionUser } from "../accounts/public.ts";
import { countEnvelopes, selectWatched } from "../envelopes/public.ts";
import {
  envelopeEvent,
  eventText,
  HEARTBEAT,
  retryText,
  type WatchedEnvelope,
} from "./domain/live-event.ts";
import { createStreamBook, type StreamBook } from "./domain/stream-book.ts";

/** Where a stream's events go. `write` gives false when the browser no longer takes them. */
export type Outlet = { write(text: string): boolean; end(): void };

/** An open stream. `counts` is what it was last told. */
type LiveStream = { readonly user: SessionUser; readonly outlet: Outlet; counts: string };

type LiveDeps = { readonly platform: Platform; readonly book: StreamBook<LiveStream> };
type Book = Pick<LiveDeps, "book">;

/** Writes on a stream; one whose browser no longer reads is closed, and will ask again when it can. */
function sendText(deps: Book, stream: LiveStream, text: string): void {
  if (!stream.outlet.write(text)) leaveStream(deps, stream);
}

/** Closes a stream for good, and says why. */
function endStream(deps: Book, stream: LiveStream, reason: "session_ended" | "replaced"): void {
  stream.outlet.write(eventText("end", { reason }));
  leaveStream(deps, stream);
}

/** Closes a stream; its browser will come back. */
function leaveStream({ book }: Book, stream: LiveStream): void {
  book.remove(stream);
  stream.outlet.end();
}

/** Gives those of the streams whose session still lives; the others are ended. */
async function keepSignedIn(
  deps: LiveDeps,
  streams: readonly LiveStream[],
): Promise<readonly LiveStream[]> {
  if (streams.length === 0) return [];
  const living = await livingSessions(
    deps.platform,
    streams.map(({ user }) => user.session_id),
  );
  for (const stream of streams)
    if (!living.has(stream.user.session_id)) endStream(deps, stream, "session_ended");
  return streams.filter(({ user }) => living.has(user.session_id));
}

/** Takes messages of changes as they come, and tells of them together. */
type ChangeLine = { add(message: string): void; rest(): Promise<void> };

/** Changes that come this close to one another are told at once: sending an envelope makes several. */
const TOGETHER_MS = 40;
const AGAIN_MS = 1_000;

/** Gives the line between what the database announces and the streams: one telling at a time, each change once however often it was announced meanwhile. */
function createChangeLine(
  deps: LiveDeps,
  tell: (deps: LiveDeps, messages: readonly string[]) => Promise<void>,
): ChangeLine {
  let waiting = new Set<string>();
  let running: Promise<void> | null = null;
  const run = async () => {
    while (waiting.size > 0) {
      await sleep(TOGETHER_MS, undefined, { ref: false });
      const messages = waiting;
      waiting = new Set();
      if (deps.book.size === 0) continue;
      try {
        await tell(deps, [...messages]);
      } catch (error) {
        deps.platform.log.warn({ error }, "live changes could not be told yet");
        for (const message of messages) waiting.add(message);
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  };
  return {
    add(message) {
      if (deps.book.size === 0) return;
      waiting.add(message);
      running ??= run().finally(() => {
        running = null;
      });
    },
    async rest() {
      waiting.clear();
      await running;
    },
  };
}

/** Sends a person's counts to those of their streams that have not been told the same. */
async function tellCounts(deps: LiveDeps, streams: readonly LiveStream[]): Promise<void> {
  const [first] = streams;
  if (first === undefined) return;
  const text = eventText("counts", await countEnvelopes(deps.platform, { user: first.user }));
  for (const stream of streams) {
    if (stream.counts === text) continue;
    stream.counts = text;
    sendText(deps, stream, text);
  }
}

/** An envelope, and after a space an account that is its recipient no more. */
const ANNOUNCEMENT = /^[0-9a-f-]{36}(?: [0-9a-f-]{36})?$/;

/**
 * Tells the streams of this process what these announcements mean to each; an ended session is told nothing.
 * Throws before anything was told, or not at all.
 */
async function tellChanges(deps: LiveDeps, messages: readonly string[]): Promise<void> {
  // Any client of the database may say anything on the channel.
  const announced = messages
    .filter((message) => ANNOUNCEMENT.test(message))
    .map((message) => message.split(" "));
  const envelopes = await selectWatched(deps.platform.db, [
    ...new Set(announced.flatMap(([id]) => id ?? [])),
  ]);
  const texts = new Map<LiveStream, string>();
  for (const envelope of envelopes)
    for (const [stream, text] of textsOf(deps, envelope))
      texts.set(stream, (texts.get(stream) ?? "") + text);
  // Whoever is a recipient no more only sees their counts change.
  const left = announced.flatMap(([, userId]) =>
    userId === undefined ? [] : deps.book.ofUser(userId),
  );
  const kept = await keepSignedIn(deps, [...new Set([...texts.keys(), ...left])]);
  for (const stream of kept) {
    const text = texts.get(stream);
    if (text !== undefined) sendText(deps, stream, text);
  }
  for (const streams of Map.groupBy(kept, ({ user }) => user.id).values())
    await tellCountsOrRefresh(deps, streams);
}

/** One account whose counts cannot be read keeps no other waiting, and what was told is not told again: its own pages ask for everything. */
async function tellCountsOrRefresh(deps: LiveDeps, streams: readonly LiveStream[]): Promise<void> {
  try {
    await tellCounts(deps, streams);
  } catch (error) {
    deps.platform.log.warn({ error }, "the counts of an account could not be told");
    for (const stream of streams) {
      // Not what the page shows any more, once it has asked.
      stream.counts = "";
      sendText(deps, stream, eventText("refresh", {}));
    }
  }
}

function textsOf({ book }: LiveDeps, envelope: WatchedEnvelope): ReadonlyMap<LiveStream, string> {
  const concerned = new Set([
    ...book.ofUser(envelope.ownerId),
    ...envelope.recipients.flatMap(({ emailKey }) => book.ofAddress(emailKey)),
  ]);
  return new Map(
    [...concerned].flatMap((stream) => {
      const event = envelopeEvent(envelope, stream.user);
      return event === null ? [] : [[stream, eventText("envelope", event)] as const];
    }),
  );
}

/** The live changes of one process: whoever is signed in opens a stream, and is told what happens to their envelopes, whichever process did it. */
export type Live = {
  /** Opens a stream; the value closes it from the browser's side. Errors: `service_unavailable` while changes do not arrive. */
  open(user: SessionUser, outlet: Outlet): Promise<Result<() => void>>;
  close(): Promise<void>;
};

/** Changes must arrive by then, or the browser is sent back to asking by itself. */
const ARRIVAL_MS = 3_000;

/** Gives the live changes of this process. The first stream makes it listen: a process without one holds no connection for it. */
export function createLive(
  platform: Platform,
  options: { readonly heartbeatMs?: number } = {},
): Live {
  const deps: LiveDeps = { platform, book: createStreamBook<LiveStream>() };
  const line = createChangeLine(deps, tellChanges);
  let listening: Listening | null = null;
  let heart: NodeJS.Timeout | undefined;
  let isClosed = false;
  const listen = () => {
    heart ??= setInterval(
      () => void beat(deps),
      options.heartbeatMs ?? LIVE_HEARTBEAT_S * 1_000,
    ).unref();
    listening ??= platform.listen("envelope_changed", {
      onMessage: (message) => (message === EVERYTHING ? refresh(deps) : line.add(message)),
      onGap: () => refresh(deps),
    });
    return listening;
  };
  return {
    async open(user, outlet) {
      if (isClosed || !(await listen().arrives(ARRIVAL_MS)) || isClosed)
        return failure(problem("service_unavailable"));
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
    for (const stream of await keepSignedIn(deps, deps.book.all()))
      sendText(deps, stream, HEARTBEAT);
  } catch (error) {
    deps.platform.log.warn({ error }, "the sessions of the live streams could not be read");
  }
}
