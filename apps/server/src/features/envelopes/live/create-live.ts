import { setTimeout as sleep } from "node:timers/promises";
import {
  LIVE_HEARTBEAT_S,
  type LiveEndEvent,
  type LiveEnvelopeEvent,
  MAX_LIVE_STREAMS,
  type Result,
  failure,
  problem,
  success,
} from "@paraphe/contracts";
import { EVERYTHING } from "../../../platform/database/announce-changes.ts";
import type { Listening } from "../../../platform/database/lasting-connection.ts";
import type { Platform } from "../../../platform/platform.ts";
import { isAllowedFrom, type SessionUser, livingSessions } from "../../accounts/public.ts";
import { type Holding, selfOf } from "../../organisations/public.ts";
import { isReturned } from "../domain/envelope.ts";
import { countEnvelopes } from "../list-envelopes.ts";
import { selectWatched } from "../recipient-store.ts";

/** `write`: false once the browser reads no more. */
export type Outlet = { write(text: string): boolean; end(): void };

type Listener = SessionUser & { readonly ip: string };
type LiveStream = { readonly user: Listener; readonly outlet: Outlet; counts: string };

type LiveDeps = { readonly platform: Platform; readonly book: StreamBook<LiveStream> };
type Book = Pick<LiveDeps, "book">;

/** A browser that no longer reads is closed, and reconnects. */
function sendText(deps: Book, stream: LiveStream, text: string): void {
  if (!stream.outlet.write(text)) leaveStream(deps, stream);
}

function endStream(deps: Book, stream: LiveStream, reason: "session_ended" | "replaced"): void {
  stream.outlet.write(eventText("end", { reason }));
  leaveStream(deps, stream);
}

function leaveStream({ book }: Book, stream: LiveStream): void {
  book.remove(stream);
  stream.outlet.end();
}

async function endSignedOut(
  deps: LiveDeps,
  streams: readonly LiveStream[],
): Promise<readonly LiveStream[]> {
  if (streams.length === 0) return [];
  const living = await livingSessions(
    deps.platform,
    streams.map(({ user }) => user.session_id),
  );
  const isLiving = ({ user }: LiveStream) => {
    const addresses = living.get(user.session_id);
    return addresses !== undefined && isAllowedFrom(addresses, user.ip);
  };
  for (const stream of streams) if (!isLiving(stream)) endStream(deps, stream, "session_ended");
  return streams.filter(isLiving);
}

type ChangeLine = { add(message: string): void; rest(): Promise<void> };

/** Sending makes several changes within this time. */
const TOGETHER_MS = 40;
const AGAIN_MS = 1_000;

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

async function sendCounts(deps: LiveDeps, streams: readonly LiveStream[]): Promise<void> {
  const [first] = streams;
  if (first === undefined) return;
  const text = eventText("counts", await countEnvelopes(deps.platform, { user: first.user }));
  for (const stream of streams) {
    if (stream.counts === text) continue;
    stream.counts = text;
    sendText(deps, stream, text);
  }
}

/** Announces a session's end, or a change of teams, of an account. */
const OF_ACCOUNT = /^(session|teams) ([0-9a-f-]{36})$/;

async function followAccounts(deps: LiveDeps, messages: readonly string[]): Promise<void> {
  const named = messages.flatMap((message) => {
    const [, what, id = ""] = OF_ACCOUNT.exec(message) ?? [];
    return what === undefined ? [] : [{ what, id }];
  });
  const streams = new Set(named.flatMap(({ id }) => deps.book.ofUser(id)));
  const moved = new Set(named.filter(({ what }) => what === "teams").map(({ id }) => id));
  for (const stream of await endSignedOut(deps, [...streams])) {
    if (!moved.has(selfOf(stream.user))) continue;
    sendText(deps, stream, eventText("refresh", {}));
    // The browser reconnects by itself, with its present teams.
    leaveStream(deps, stream);
  }
}

/** An envelope's id, then perhaps a former recipient's account. */
const ANNOUNCEMENT = /^[0-9a-f-]{36}(?: [0-9a-f-]{36})?$/;

/**
 * Sends to the streams concerned, except ended sessions. Throws before the first, or not at all.
 */
async function sendChanges(deps: LiveDeps, messages: readonly string[]): Promise<void> {
  await followAccounts(deps, messages);
  // Any database client may write to the channel.
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
  // Former recipients get counts only.
  const left = announced.flatMap(([, userId]) =>
    userId === undefined ? [] : deps.book.ofUser(userId),
  );
  const kept = await endSignedOut(deps, [...new Set([...texts.keys(), ...left])]);
  for (const stream of kept) {
    const text = texts.get(stream);
    if (text !== undefined) sendText(deps, stream, text);
  }
  for (const streams of Map.groupBy(kept, ({ user }) => selfOf(user)).values())
    await sendCountsOrRefresh(deps, streams);
}

/** Counts that cannot be read delay no other account: its pages refresh. */
async function sendCountsOrRefresh(deps: LiveDeps, streams: readonly LiveStream[]): Promise<void> {
  try {
    await sendCounts(deps, streams);
  } catch (error) {
    deps.platform.log.warn({ error }, "the counts of an account could not be told");
    for (const stream of streams) {
      stream.counts = "";
      sendText(deps, stream, eventText("refresh", {}));
    }
  }
}

function textsOf({ book }: LiveDeps, envelope: WatchedEnvelope): ReadonlyMap<LiveStream, string> {
  const concerned = new Set([
    ...book.ofUser(envelope.ownerId),
    ...(envelope.teamId === null ? [] : book.ofTeam(envelope.teamId)),
    ...envelope.recipients.flatMap(({ emailKey }) => book.ofAddress(emailKey)),
  ]);
  return new Map(
    [...concerned].flatMap((stream) => {
      const event = envelopeEvent(envelope, stream.user);
      return event === null ? [] : [[stream, eventText("envelope", event)] as const];
    }),
  );
}

/** Changes reach streams of this process, wherever made. */
export type Live = {
  /**
   * Gives the function that ends the stream. Errors: `service_unavailable` while changes do not
   * arrive.
   */
  open(user: Listener, outlet: Outlet): Promise<Result<() => void>>;
  close(): Promise<void>;
};

/** Browsers poll when changes do not arrive within this time. */
const ARRIVAL_MS = 3_000;

/** Listens from the first stream on: idle processes need no connection. */
export function createLive(
  platform: Platform,
  options: { readonly heartbeatMs?: number } = {},
): Live {
  const deps: LiveDeps = { platform, book: createStreamBook<LiveStream>() };
  const line = createChangeLine(deps, sendChanges);
  let listening: Listening | null = null;
  let heart: NodeJS.Timeout | undefined;
  let isClosed = false;
  let opening = 0;
  /** Without an open page, no change has to be announced. */
  const leave = () => {
    void listening?.close();
    listening = null;
  };
  const listen = () => {
    heart ??= setInterval(
      () => (deps.book.size + opening > 0 ? void beat(deps) : leave()),
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
      if (isClosed) return failure(problem("service_unavailable"));
      opening++;
      const arrived = await listen()
        .arrives(ARRIVAL_MS)
        .finally(() => opening--);
      if (!arrived || isClosed) return failure(problem("service_unavailable"));
      const stream: LiveStream = { user, outlet, counts: "" };
      const tooMany = deps.book.add(stream);
      if (tooMany !== null) endStream(deps, tooMany, "replaced");
      outlet.write(retryText(Math.random()));
      try {
        // Added first, so that changes during the read follow.
        await sendCounts(deps, [stream]);
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

function refresh(deps: LiveDeps): void {
  for (const stream of deps.book.all()) sendText(deps, stream, eventText("refresh", {}));
}

async function beat(deps: LiveDeps): Promise<void> {
  try {
    for (const stream of await endSignedOut(deps, deps.book.all()))
      sendText(deps, stream, HEARTBEAT);
  } catch (error) {
    deps.platform.log.warn({ error }, "the sessions of the live streams could not be read");
  }
}

type Booked = { readonly user: Pick<SessionUser, "id" | "email_key" | "teams" | "holder"> };

/** Finds streams by account, team and address, bounded per account. */
type StreamBook<S extends Booked> = {
  /** Beyond the bound, removes and gives the account's oldest. */
  add(stream: S): S | null;
  remove(stream: S): void;
  ofUser(id: string): readonly S[];
  /** Streams whose account was in the team when their page opened. */
  ofTeam(id: string): readonly S[];
  ofAddress(emailKey: string): readonly S[];
  all(): readonly S[];
  readonly size: number;
};

export function createStreamBook<S extends Booked>(most: number = MAX_LIVE_STREAMS): StreamBook<S> {
  const byUser = new Map<string, Set<S>>();
  const byTeam = new Map<string, Set<S>>();
  const byAddress = new Map<string, Set<S>>();
  const streams = new Set<S>();
  const remove = (stream: S) => {
    if (!streams.delete(stream)) return;
    takeOut(byUser, selfOf(stream.user), stream);
    for (const { id } of stream.user.teams) takeOut(byTeam, id, stream);
    takeOut(byAddress, stream.user.email_key, stream);
  };
  return {
    add(stream) {
      streams.add(stream);
      putIn(byAddress, stream.user.email_key, stream);
      for (const { id } of stream.user.teams) putIn(byTeam, id, stream);
      const own = putIn(byUser, selfOf(stream.user), stream);
      const [oldest] = own;
      if (own.size <= most || oldest === undefined) return null;
      remove(oldest);
      return oldest;
    },
    remove,
    ofUser: (id) => [...(byUser.get(id) ?? [])],
    ofTeam: (id) => [...(byTeam.get(id) ?? [])],
    ofAddress: (emailKey) => [...(byAddress.get(emailKey) ?? [])],
    all: () => [...streams],
    get size() {
      return streams.size;
    },
  };
}

function putIn<S>(map: Map<string, Set<S>>, key: string, stream: S): Set<S> {
  const set = map.get(key) ?? new Set<S>();
  map.set(key, set.add(stream));
  return set;
}

function takeOut<S>(map: Map<string, Set<S>>, key: string, stream: S): void {
  const set = map.get(key);
  set?.delete(stream);
  if (set?.size === 0) map.delete(key);
}

export type WatchedEnvelope = Awaited<ReturnType<typeof selectWatched>>[number];

type Person = Holding & { readonly email_key: string; readonly recipient_key: string | null };

/**
 * Gives null for others, and for recipients of a draft never sent or not invited. Recipients see a
 * cancellation, the owner alone a purge.
 */
export function envelopeEvent(envelope: WatchedEnvelope, person: Person): LiveEnvelopeEvent | null {
  const isOwner =
    envelope.ownerId === selfOf(person) || person.teams.some(({ id }) => id === envelope.teamId);
  const key = isOwner ? person.email_key : person.recipient_key;
  const own = envelope.recipients.filter(
    (recipient) => recipient.emailKey === key && recipient.isInvited,
  );
  const isHidden = envelope.isPurged || (envelope.status === "draft" && !isReturned(envelope));
  if (!isOwner && (own.length === 0 || isHidden)) return null;
  const isAwaited = own.some((recipient) => recipient.isAwaited);
  const status = envelope.isPurged ? "purged" : isAwaited ? "action_required" : envelope.status;
  return { id: envelope.id, version: envelope.version, status };
}

/** Source: HTML Living Standard §9.2.6; JSON has no line break. */
export function eventText(name: "envelope", data: LiveEnvelopeEvent): string;
export function eventText(name: "counts", data: object): string;
export function eventText(name: "end", data: LiveEndEvent): string;
export function eventText(name: "refresh", data: Record<string, never>): string;
export function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment keeps proxies from closing an idle stream. */
const HEARTBEAT = ":\n\n";

/** Spreads reconnections. `chance`: between 0 and 1. */
export function retryText(chance: number): string {
  return `retry: ${Math.round(2_000 + 3_000 * chance)}\n\n`;
}
