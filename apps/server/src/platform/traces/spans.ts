import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { Log } from "../logs/log.ts";

type Attributes = Readonly<Record<string, string | number>>;
const SPAN_KIND = { server: 2, client: 3, consumer: 5 } as const;

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: keyof typeof SPAN_KIND;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly hasFailed: boolean;
};

export type SpanStart = Pick<Span, "name" | "kind" | "attributes">;
type Place = Pick<Span, "traceId" | "spanId">;

let take: ((span: Span) => void) | null = null;
const places = new AsyncLocalStorage<Place | null>();

function traceTo(taker: ((span: Span) => void) | null): void {
  take = taker;
}

const nowMs = () => performance.timeOrigin + performance.now();
const freshId = (length: number) => randomBytes(length).toString("hex");

export type OpenSpan = {
  within<T>(work: () => T): T;
  end(ended: Partial<Pick<Span, "name" | "attributes" | "hasFailed">>): void;
};

/**
 * Opens below the caller's (`traceparent`, W3C Trace Context §3.2) or the current one; null:
 * tracing is off.
 */
export function openSpan(start: SpanStart, traceparent?: string): OpenSpan | null {
  const taker = take;
  if (taker === null) return null;
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? "") ??
    [];
  const isAsked = flags === undefined || Number.parseInt(flags, 16) % 2 === 1;
  // A request that its caller does not sample is not sampled here.
  if (!isAsked) return { within: (work) => places.run(null, work), end() {} };
  const above =
    traceId !== undefined && spanId !== undefined ? { traceId, spanId } : places.getStore();
  const place = { traceId: above?.traceId ?? freshId(16), spanId: freshId(8) };
  const startMs = nowMs();
  return {
    within: (work) => places.run(place, work),
    end: ({ name = start.name, attributes = {}, hasFailed = false }) =>
      taker({
        ...place,
        parentSpanId: above?.spanId ?? null,
        name,
        kind: start.kind,
        startMs,
        endMs: nowMs(),
        attributes: { ...start.attributes, ...attributes },
        hasFailed,
      }),
  };
}

/** `client` spans stand below another. */
export async function inSpan<T>(start: () => SpanStart, work: () => Promise<T>): Promise<T> {
  const above = places.getStore();
  const begun = take === null || above === null ? null : start();
  const span =
    begun === null || (begun.kind === "client" && above === undefined) ? null : openSpan(begun);
  if (span === null) return work();
  let hasFailed = true;
  try {
    const outcome = await span.within(work);
    hasFailed = false;
    return outcome;
  } finally {
    span.end({ hasFailed });
  }
}

export type TraceSettings = {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
};

const EVERY_MS = 5_000;
const MOST_AT_ONCE = 512;
const MOST_KEPT = 4_096;
const ANSWER_MS = 5_000;
const FAILED = 2;

/** `close` sends the rest. Source: OTLP 1.9, OTLP/HTTP with JSON. */
export function exportTraces(
  { endpoint, headers, service }: TraceSettings,
  log: Log,
): { close(): Promise<void> } {
  const url = new URL(`${endpoint.replace(/\/$/, "")}/v1/traces`);
  let waiting: Span[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isAway = false;
  const send = async () => {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(MOST_AT_ONCE);
      try {
        const sent = {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: requestOf(service, spans),
        };
        const answer = await fetch(url, { ...sent, signal: AbortSignal.timeout(ANSWER_MS) });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`The collector answered ${answer.status}`);
        isAway = false;
      } catch (error) {
        if (!isAway)
          log.warn({ error }, "the traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT");
        isAway = true;
        return;
      }
    }
  };
  const flush = () => {
    sending = sending.then(send);
    return sending;
  };
  const timer = setInterval(() => void flush(), EVERY_MS).unref();
  traceTo((span) => {
    if (waiting.length < MOST_KEPT) waiting.push(span);
    if (waiting.length === MOST_AT_ONCE) void flush();
  });
  return {
    async close() {
      traceTo(null);
      clearInterval(timer);
      await flush();
    },
  };
}

function requestOf(service: string, spans: readonly Span[]): string {
  const resource = { attributes: attributesOf({ "service.name": service }) };
  return JSON.stringify({
    resourceSpans: [
      { resource, scopeSpans: [{ scope: { name: "paraphe" }, spans: spans.map(spanOf) }] },
    ],
  });
}

const spanOf = ({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startMs,
  endMs,
  attributes,
  hasFailed,
}: Span) => ({
  traceId,
  spanId,
  ...(parentSpanId === null ? {} : { parentSpanId }),
  name,
  kind: SPAN_KIND[kind],
  startTimeUnixNano: nanosecondsOf(startMs),
  endTimeUnixNano: nanosecondsOf(endMs),
  attributes: attributesOf(attributes),
  status: hasFailed ? { code: FAILED } : {},
});

const nanosecondsOf = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
