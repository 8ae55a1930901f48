import type { Log } from "../logs/log.ts";
import { type Attributes, SPAN_KIND, type Span, traceTo } from "./spans.ts";

/** `endpoint`: without `/v1/traces`; `service`: its name there. */
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

/** JSON has 64-bit numbers as text. */
const nanosecondsOf = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
