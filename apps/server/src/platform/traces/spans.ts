import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";

export type Attributes = Readonly<Record<string, string | number>>;
export const SPAN_KIND = { server: 2, client: 3, consumer: 5 } as const;

/** Times: milliseconds since 1970, with fractions. */
export type Span = {
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

export function traceTo(taker: ((span: Span) => void) | null): void {
  take = taker;
}

const nowMs = () => performance.timeOrigin + performance.now();
const freshId = (length: number) => randomBytes(length).toString("hex");

/** Spans opened `within` are its children. */
export type OpenSpan = {
  within<T>(work: () => T): T;
  end(ended: Partial<Pick<Span, "name" | "attributes" | "hasFailed">>): void;
};

/**
 * Below the caller's span (`traceparent`, W3C Trace Context §3.2) or the current one; null where
 * tracing is off.
 */
export function openSpan(start: SpanStart, traceparent?: string): OpenSpan | null {
  const taker = take;
  if (taker === null) return null;
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? "") ??
    [];
  const isAsked = flags === undefined || Number.parseInt(flags, 16) % 2 === 1;
  // Not sampled by the caller: nor here.
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

/** A `client` span exists only below another one. */
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
