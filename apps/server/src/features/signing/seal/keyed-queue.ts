/** Runs work one after the other for each key, different keys side by side, `places` of them at most. */
export type KeyedQueue = { run<T>(key: string, work: () => Promise<T>): Promise<T> };

export function createKeyedQueue(places: number): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let free = places;

  async function inPlace<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else await new Promise<void>((given) => waiting.push(given));
    try {
      return await work();
    } finally {
      // A place goes straight to whoever waits longest, or is free again.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  }

  return {
    run(key, work) {
      const begin = () => inPlace(work);
      const turn = (tails.get(key) ?? Promise.resolve()).then(begin, begin);
      tails.set(key, turn);
      const forget = () => {
        if (tails.get(key) === turn) tails.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },
  };
}
