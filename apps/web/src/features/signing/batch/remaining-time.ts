/** How far a batch was at some moment, in milliseconds. */
export type Moment = { readonly at: number; readonly ended: number };

/** Gives « Environ 40 s restantes », or null when nothing can be said of it yet. */
export function remainingTime(first: Moment | null, now: Moment, total: number): string | null {
  if (first === null || now.ended <= first.ended || now.at <= first.at) return null;
  const seconds = ((total - now.ended) * (now.at - first.at)) / (now.ended - first.ended) / 1_000;
  if (seconds < 1) return null;
  if (seconds < 90) return `Environ ${seconds < 10 ? Math.ceil(seconds) : Math.ceil(seconds / 10) * 10}\u00a0s restantes`;
  return `Environ ${Math.ceil(seconds / 60)}\u00a0min restantes`;
}
