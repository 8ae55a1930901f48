import {
  type Counts,
  LIVE_PATH,
  LIVE_POLL_S,
  type LiveEndEvent,
  type LiveEnvelopeEvent,
} from "@paraphe/contracts";
import type { QueryClient } from "@tanstack/react-query";
import { api, apiUrl } from "../../lib/api/api.ts";

/** `refresh`: a change may have been missed. */
export type LiveSignal =
  | { readonly kind: "envelope"; readonly event: LiveEnvelopeEvent }
  | { readonly kind: "counts"; readonly counts: Counts }
  | { readonly kind: "refresh" };

/** Lists are refetched at most this often: a busy minute changes many envelopes. */
const LISTS_MS = 1_000;

export function applySignals(client: QueryClient): (signal: LiveSignal) => void {
  let waiting = false;
  let last = Number.NEGATIVE_INFINITY;
  const readListsAgain = () => {
    waiting = false;
    last = performance.now();
    void client.invalidateQueries({ queryKey: ["envelopes", "list"] });
    void client.invalidateQueries({ queryKey: ["dashboard"] });
  };
  return (signal) => {
    if (signal.kind === "counts") {
      // An answer under way would restore the old figures.
      void client.cancelQueries({ queryKey: COUNTS });
      client.setQueryData(COUNTS, signal.counts);
      return;
    }
    if (signal.kind === "refresh") {
      void client.invalidateQueries({ queryKey: ["envelopes"] });
      void client.invalidateQueries({ queryKey: ["dashboard"] });
      return;
    }
    void client.invalidateQueries({ queryKey: ["envelopes", "detail", signal.event.id] });
    void client.invalidateQueries({ queryKey: ["envelopes", "events", signal.event.id] });
    if (waiting) return;
    waiting = true;
    setTimeout(readListsAgain, Math.max(0, last + LISTS_MS - performance.now()));
  };
}

const COUNTS = ["envelopes", "counts"] as const;

/**
 * Runs `lead` in one tab at a time; without Web Locks, in every tab. Source: Web Locks API (W3C)
 * §3.
 */
function leadOneTab(name: string, lead: () => () => void): () => void {
  const locks = navigator.locks as LockManager | null | undefined;
  if (!locks) return lead();
  const leaving = new AbortController();
  const left = new Promise<void>((resolve) =>
    leaving.signal.addEventListener("abort", () => resolve()),
  );
  locks
    .request(name, { signal: leaving.signal }, async () => {
      if (leaving.signal.aborted) return;
      const stop = lead();
      await left;
      stop();
    })
    .catch((error: unknown) => {
      if (!leaving.signal.aborted) console.error("the tabs could not agree on who listens", error);
    });
  return () => leaving.abort();
}

/** One failure may be a restart of the service; two mean that no stream is available. */
const FAILURES_BEFORE_POLLING = 2;

/**
 * Signals changes by the event stream or, without it, by polling every 30 s. Gives the way to stop.
 */
export function openChangeStream(notify: (signal: LiveSignal) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let failures = 0;
  let isStopped = false;
  let isReplaced = false;

  const poll = () => {
    timer ??= setInterval(() => void ask(), LIVE_POLL_S * 1_000);
  };
  const connect = () => {
    if (isStopped || isReplaced || source !== undefined || typeof EventSource === "undefined")
      return;
    source = listen(notify, {
      opened() {
        failures = 0;
        clearInterval(timer);
        timer = undefined;
        // Changes since the last reading were not signalled.
        notify({ kind: "refresh" });
      },
      failed() {
        failures++;
        const isRefused = source?.readyState === EventSource.CLOSED;
        if (isRefused) close();
        if (failures >= FAILURES_BEFORE_POLLING) poll();
        // The access token may have expired: any call renews it or ends the session.
        else if (isRefused) void ask();
      },
      ended(reason) {
        close();
        poll();
        // A newer window took the stream: reconnecting would take it back.
        isReplaced = reason === "replaced";
        if (!isReplaced) void ask();
      },
    });
  };
  /** A light call first, so that the shown data stays while the service is down. */
  const ask = async () => {
    const counts = await readCounts();
    if (isStopped) return;
    if (counts === null) return poll();
    notify({ kind: "counts", counts });
    if (timer !== undefined) notify({ kind: "refresh" });
    connect();
  };
  const close = () => {
    source?.close();
    source = undefined;
  };

  connect();
  if (source === undefined) poll();
  return () => {
    isStopped = true;
    clearInterval(timer);
    close();
  };
}

type Handlers = { opened(): void; failed(): void; ended(reason: LiveEndEvent["reason"]): void };

function listen(notify: (signal: LiveSignal) => void, handlers: Handlers): EventSource {
  const source = new EventSource(apiUrl(LIVE_PATH), { withCredentials: true });
  const read = <T>(event: Event): T => JSON.parse((event as MessageEvent<string>).data) as T;
  source.addEventListener("open", handlers.opened);
  source.addEventListener("error", handlers.failed);
  source.addEventListener("envelope", (event) =>
    notify({ kind: "envelope", event: read<LiveEnvelopeEvent>(event) }),
  );
  source.addEventListener("counts", (event) =>
    notify({ kind: "counts", counts: read<Counts>(event) }),
  );
  source.addEventListener("refresh", () => notify({ kind: "refresh" }));
  source.addEventListener("end", (event) => handlers.ended(read<LiveEndEvent>(event).reason));
  return source;
}

async function readCounts(): Promise<Counts | null> {
  try {
    return await api.get<Counts>("/api/signature/envelopes/counts/");
  } catch (error) {
    console.warn("the service does not answer: changes are not followed for now", error);
    return null;
  }
}

/**
 * Works while the page is visible: one tab listens and informs the person's other tabs. Gives the
 * way to stop.
 */
export function followChanges(client: QueryClient, userId: string): () => void {
  const apply = applySignals(client);
  const name = `paraphe-live:${userId}`;
  const channel = new BroadcastChannel(name);
  let leave: (() => void) | undefined;

  channel.addEventListener("message", ({ data }: MessageEvent<LiveSignal>) => {
    if (leave !== undefined) apply(data);
  });
  const notifyAll = (signal: LiveSignal) => {
    apply(signal);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
    channel.postMessage(signal);
  };
  const watch = () => {
    if (document.visibilityState === "hidden") {
      leave?.();
      leave = undefined;
      return;
    }
    leave ??= leadOneTab(name, () => openChangeStream(notifyAll));
  };
  const comeBack = () => {
    // Another tab may be the listener, so this refreshes what was missed while hidden.
    if (document.visibilityState === "visible" && leave === undefined) apply({ kind: "refresh" });
    watch();
  };

  watch();
  document.addEventListener("visibilitychange", comeBack);
  return () => {
    document.removeEventListener("visibilitychange", comeBack);
    leave?.();
    leave = undefined;
    channel.close();
  };
}
