import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";

/** Runs work, so much at a time; beyond its waiting room it refuses with `service_unavailable`, instead of filling the memory. */
export type BoundedQueue = <T>(work: () => Promise<T>) => Promise<Result<T, Problem>>;

/** Gives a queue of this process. `longest`: how many may wait. */
export function createBoundedQueue(bounds: {
  readonly concurrency: number;
  readonly longest: number;
}): BoundedQueue {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= bounds.concurrency) {
      if (waiting.length >= bounds.longest)
        return failure(problem("service_unavailable", { retryAfterS: 2 }));
      // The one that ends gives its place on: `running` does not change hands.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return success(await work());
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
