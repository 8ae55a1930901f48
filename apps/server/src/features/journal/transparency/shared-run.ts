/**
 * Gives a function that runs this work, one run at a time. Who calls while one runs gets the next one, shared by all who wait for it: each call has a run
 * that began after it.
 */
export function createSharedRun(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running
      // How the one before ended is told to those who asked for it.
      .catch(() => {})
      .then(() => {
        running = next ?? running;
        next = null;
        return work();
      });
    return next;
  };
}
