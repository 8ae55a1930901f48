/** Requests that are being answered, and a pause for whoever works beside them. */
export type RequestPause = {
  /** A request came in; gives what says that it was answered. */
  enter(): () => void;
  /** Resolves once no request is being answered, or after a moment: work goes on under any load. */
  calm(): Promise<void>;
};

/** A stream stays open, an upload comes slowly: neither is somebody who waits for an answer. */
const COUNTED_MS = 300;
const LONGEST_PAUSE_MS = 25;

/** Gives the pause of one process. */
export function createRequestPause(): RequestPause {
  const waiting = new Set<() => void>();
  let count = 0;
  return {
    enter() {
      count += 1;
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        count -= 1;
        if (count === 0) for (const resume of waiting) resume();
      };
      const timer = setTimeout(leave, COUNTED_MS).unref();
      return leave;
    },
    calm() {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const resume = () => {
          clearTimeout(timer);
          waiting.delete(resume);
          resolve();
        };
        const timer = setTimeout(resume, LONGEST_PAUSE_MS);
        waiting.add(resume);
      });
    },
  };
}
