/** Gives the turn back. */
export type EndTurn = () => void;

/**
 * Lets one thing at a time be done for each key, in the order of asking; `longest` may wait behind it.
 * Shape: `take` gives the end of the turn; null when too many wait already, or nobody waits for it any more. Held by this process.
 */
export type Turns = { take(key: string, gone: AbortSignal): Promise<EndTurn | null> };

type Waiter = (isTheirs: boolean) => void;

export function createTurns({ longest }: { readonly longest: number }): Turns {
  /** Of each key at work, who waits. */
  const lines = new Map<string, Waiter[]>();

  const endOf = (key: string): EndTurn => {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = lines.get(key)?.shift();
      if (next === undefined) lines.delete(key);
      else next(true);
    };
  };

  return {
    async take(key, gone) {
      if (gone.aborted) return null;
      const line = lines.get(key);
      if (line === undefined) {
        lines.set(key, []);
        return endOf(key);
      }
      if (line.length >= longest) return null;
      const isTheirs = await new Promise<boolean>((resolve) => {
        const giveUp = () => {
          line.splice(line.indexOf(begin), 1);
          resolve(false);
        };
        const begin: Waiter = (mine) => {
          gone.removeEventListener("abort", giveUp);
          resolve(mine);
        };
        gone.addEventListener("abort", giveUp, { once: true });
        line.push(begin);
      });
      return isTheirs ? endOf(key) : null;
    },
  };
}
