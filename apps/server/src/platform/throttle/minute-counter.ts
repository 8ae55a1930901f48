const MINUTE_MS = 60_000;

/** Counts by key, in fixed minutes, in the memory of this process: for what is asked too often to be counted in the database. */
export type MinuteCounter = { hit(key: string, now: Date): { readonly allowed: boolean; readonly retryAfterS: number } };

/** Gives a counter that allows so many a minute to each key. */
export function createMinuteCounter(limit: number): MinuteCounter {
  let minute = -1;
  let hits = new Map<string, number>();
  return {
    hit(key, now) {
      const current = Math.floor(now.getTime() / MINUTE_MS);
      // The counts of a minute that is over go all at once: the map holds whoever asked in one minute.
      if (current !== minute) [minute, hits] = [current, new Map()];
      const count = (hits.get(key) ?? 0) + 1;
      hits.set(key, count);
      if (count <= limit) return { allowed: true, retryAfterS: 0 };
      return { allowed: false, retryAfterS: Math.max(1, Math.ceil(((current + 1) * MINUTE_MS - now.getTime()) / 1_000)) };
    },
  };
}
