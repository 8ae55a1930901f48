import {
  type Counts,
  LIVE_PATH,
  LIVE_POLL_S,
  type LiveEndEvent,
  type LiveEnvelopeEvent,
} from "@paraphe/contracts";
import type { QueryClient } from "@tanstack/react-query";
import { api, apiUrl } from "../../lib/api.ts";

/** What a tab is told, by the stream or by the tab that holds it. `refresh`: something may have been missed. */
export type LiveSignal =
  | { readonly kind: "envelope"; readonly event: LiveEnvelopeEvent }
  | { readonly kind: "counts"; readonly counts: Counts }
  | { readonly kind: "refresh" };

/** Lists and figures are read again at most this often: a busy minute changes many envelopes. */
const LISTS_MS = 1_000;

/** Gives what brings a signal to what was read: the shown is read again, the rest when it is shown. */
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
      // One that was asked before and comes after would put the old figures back.
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
 * Runs something in one tab of this browser at a time: here once the tab that runs it now has left. Gives the way to leave.
 * Without the Web Locks API every tab runs it. Source: Web Locks API (W3C), §3.
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

/** One failure is a service that restarts; two, a stream that cannot be had. */
const FAILURES_BEFORE_POLLING = 2;

/**
 * Tells what changes: by the stream of events, or, while it cannot be had, by asking every 30 s, until the stream is back. Gives the way to stop.
 * Nothing is said to the person: what is shown stays, and is fresh again once the service answers.
 */
export function openChangeStream(tell: (signal: LiveSignal) => void): () => void {
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
    source = listen(tell, {
      opened() {
        failures = 0;
        clearInterval(timer);
        timer = undefined;
        // Between the last reading and this moment, nobody told anything.
        tell({ kind: "refresh" });
      },
      failed() {
        failures++;
        const isRefused = source?.readyState === EventSource.CLOSED;
        if (isRefused) close();
        if (failures >= FAILURES_BEFORE_POLLING) poll();
        // The access token may just have grown old: any call renews it, or says that the session is over.
        else if (isRefused) void ask();
      },
      ended(reason) {
        close();
        poll();
        // A newer window took the place: coming back would take it in turn.
        isReplaced = reason === "replaced";
        if (!isReplaced) void ask();
      },
    });
  };
  /** One light call first: while the service does not answer, what is shown is left alone. */
  const ask = async () => {
    const counts = await readCounts();
    if (isStopped) return;
    if (counts === null) return poll();
    tell({ kind: "counts", counts });
    if (timer !== undefined) tell({ kind: "refresh" });
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

function listen(tell: (signal: LiveSignal) => void, handlers: Handlers): EventSource {
  const source = new EventSource(apiUrl(LIVE_PATH), { withCredentials: true });
  const read = <T>(event: Event): T => JSON.parse((event as MessageEvent<string>).data) as T;
  source.addEventListener("open", handlers.opened);
  source.addEventListener("error", handlers.failed);
  source.addEventListener("envelope", (event) =>
    tell({ kind: "envelope", event: read<LiveEnvelopeEvent>(event) }),
  );
  source.addEventListener("counts", (event) =>
    tell({ kind: "counts", counts: read<Counts>(event) }),
  );
  source.addEventListener("refresh", () => tell({ kind: "refresh" }));
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
 * Keeps what this page shows true to what happens, while it is in sight: one tab of the browser listens, and tells the others of the same person.
 * Gives the way to stop.
 */
export function followChanges(client: QueryClient, userId: string): () => void {
  const apply = applySignals(client);
  const name = `paraphe-live:${userId}`;
  const channel = new BroadcastChannel(name);
  let leave: (() => void) | undefined;

  channel.addEventListener("message", ({ data }: MessageEvent<LiveSignal>) => {
    if (leave !== undefined) apply(data);
  });
  const tellAll = (signal: LiveSignal) => {
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
    leave ??= leadOneTab(name, () => openChangeStream(tellAll));
  };
  const comeBack = () => {
    // What was missed out of sight: this tab may not be the one that listens, and is told.
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
