import type { Platform } from "../../platform/platform.ts";

const BATCH = 500;

export type DueWork = {
  /** What is done to each, for the log. */
  readonly what: string;
  /** Gives ids that are due, always in the same order, `skip` of them left out. */
  readonly select: (window: {
    readonly limit: number;
    readonly skip: number;
  }) => Promise<readonly string[]>;
  /** Does it, in a transaction of its own; gives false when the envelope is as due as before. */
  readonly run: (envelopeId: string) => Promise<boolean>;
};

/**
 * Runs a scheduled work on every envelope that is due; gives how many it was done to. One that refuses or throws keeps no other waiting: those
 * behind it have their turn in this round, and it has its own again in the next.
 */
export async function forEachDue(
  platform: Pick<Platform, "log">,
  { what, select, run }: DueWork,
): Promise<number> {
  let done = 0;
  for (let skip = 0; ; ) {
    const ids = await select({ limit: BATCH, skip });
    for (const id of ids) {
      const isDone = await run(id).catch((error: unknown) => {
        platform.log.error({ error, envelope: id }, `${what} failed`);
        return false;
      });
      if (isDone) done++;
      else skip++;
    }
    if (ids.length < BATCH) return done;
  }
}
