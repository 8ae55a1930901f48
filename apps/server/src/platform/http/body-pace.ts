/** A sender silent for this long is not heard to the end (security §1, line 51). */
const SILENCE_MS = 4_500;

/** A body comes this fast all along: `slackMs` behind, it is late. What came faster earlier buys no more than that. */
export type LeastPace = { readonly slackMs: number; readonly bytesPerS: number };

/** A poor mobile line is faster. */
export const LEAST_PACE: LeastPace = { slackMs: 10_000, bytesPerS: 16 * 1024 };

/** The sender fell silent, or only trickles. */
export class SilentSenderError extends Error {
  override readonly name = "SilentSenderError";
  readonly statusCode = 408;
}

export type Pace = {
  heard(chunk: Uint8Array): void;
  /** We were busy, not the sender silent. */
  refresh(): void;
  stop(): void;
};

/** Watches how a body comes; calls `lose` once it has stopped coming, or comes too slowly. */
export function watchPace(least: LeastPace, lose: (error: SilentSenderError) => void): Pace {
  let slackMs = least.slackMs;
  let heardAt = performance.now();
  const end = () => lose(new SilentSenderError("The body stopped coming"));
  const timer = setTimeout(end, SILENCE_MS);
  return {
    heard(chunk) {
      timer.refresh();
      const now = performance.now();
      slackMs = Math.min(least.slackMs, slackMs - (now - heardAt) + (chunk.length * 1_000) / least.bytesPerS);
      heardAt = now;
      if (slackMs < 0) end();
    },
    refresh() {
      timer.refresh();
      heardAt = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
