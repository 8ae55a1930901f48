/** Most tasks take milliseconds: waiting a moment for a child that is there is cheaper than starting one, and holding its memory. */
const PATIENCE_MS = 100;
const IDLE_MS = 60_000;

/** The places where tasks run. Whoever takes one gives it back, and goes through the task line first: it lets in no more takers than places. */
export type Places<T> = {
  readonly all: readonly T[];
  /** Gives a place that was used before if one is free within a moment, else one that was not. Throws when there are more takers than places. */
  take(): Promise<T>;
  give(place: T): void;
  close(): void;
};

type Waiter<T> = { readonly begin: (place: T) => void; readonly timer: NodeJS.Timeout };

/** `retire` ends what a place holds: it was not used for a minute, and another one is ready or at work. */
export function createPlaces<T>({ all, retire }: { readonly all: readonly T[]; readonly retire: (place: T) => void }): Places<T> {
  const fresh = [...all].reverse();
  const ready: T[] = [];
  const waiting: Waiter<T>[] = [];
  const ending = new Map<T, NodeJS.Timeout>();

  const wait = (): Promise<T> =>
    new Promise((begin, refuse) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        const place = fresh.pop();
        if (place === undefined) refuse(new Error(`More than ${all.length} takers for as many places`));
        else begin(place);
      }, PATIENCE_MS);
      const waiter = { begin, timer };
      waiting.push(waiter);
    });
  const endIfUnused = (place: T): void => {
    ending.delete(place);
    if (all.length - fresh.length === 1) return;
    ready.splice(ready.indexOf(place), 1);
    fresh.push(place);
    retire(place);
  };
  const countDown = (): void => {
    for (const place of ready) {
      if (!ending.has(place)) ending.set(place, setTimeout(endIfUnused, IDLE_MS, place).unref());
    }
  };
  return {
    all,
    async take() {
      const place = ready.pop();
      if (place !== undefined) {
        clearTimeout(ending.get(place));
        ending.delete(place);
        return place;
      }
      const first = fresh.length === all.length ? fresh.pop() : undefined;
      return first ?? wait();
    },
    give(place) {
      const waiter = waiting.shift();
      if (waiter === undefined) {
        ready.push(place);
        return countDown();
      }
      clearTimeout(waiter.timer);
      waiter.begin(place);
    },
    close() {
      for (const timer of ending.values()) clearTimeout(timer);
    },
  };
}
