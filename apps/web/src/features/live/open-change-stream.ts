import { type Counts, LIVE_PATH, LIVE_POLL_S, type LiveEndEvent, type LiveEnvelopeEvent } from "@paraphe/contracts";
import { api, apiUrl } from "../../lib/api.ts";
import type { LiveSignal } from "./live-signal.ts";

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
    if (isStopped || isReplaced || source !== undefined || typeof EventSource === "undefined") return;
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
  source.addEventListener("envelope", (event) => tell({ kind: "envelope", event: read<LiveEnvelopeEvent>(event) }));
  source.addEventListener("counts", (event) => tell({ kind: "counts", counts: read<Counts>(event) }));
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
