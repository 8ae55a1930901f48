/** A sender silent for this long is not heard to the end (security §1, line 51). */
const SILENCE_MS = 4_500;

/** Once `afterMs` are over, a body must have come this fast on the whole. */
export type LeastPace = { readonly afterMs: number; readonly bytesPerS: number };

/** A poor mobile line is faster. */
export const LEAST_PACE: LeastPace = { afterMs: 10_000, bytesPerS: 16 * 1024 };

/** The sender fell silent, or only trickles. */
export class SilentSenderError extends Error {
  override readonly name = "SilentSenderError";
  readonly statusCode = 400;
}

export type Pace = {
  heard(chunk: Uint8Array): void;
  /** We were busy, not the sender silent. */
  refresh(): void;
  stop(): void;
};

/** Watches how a body comes; calls `lose` once it has stopped coming, or comes too slowly. */
export function watchPace(least: LeastPace, lose: (error: SilentSenderError) => void): Pace {
  const startedAt = performance.now();
  let received = 0;
  const end = () => lose(new SilentSenderError("The body stopped coming"));
  const timer = setTimeout(end, SILENCE_MS);
  return {
    heard(chunk) {
      timer.refresh();
      received += chunk.length;
      const countedMs = performance.now() - startedAt - least.afterMs;
      if (received * 1_000 < countedMs * least.bytesPerS) end();
    },
    refresh: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}
