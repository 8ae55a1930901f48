import type { Platform } from "../../platform/platform.ts";

const BATCH = 500;

export type DueWork = {
  readonly what: string;
  readonly select: (window: {
    readonly limit: number;
    readonly skip: number;
  }) => Promise<readonly string[]>;
  /** Runs in its own transaction; gives false when the envelope is still due. */
  readonly run: (envelopeId: string) => Promise<boolean>;
};

/**
 * Runs scheduled work on each due envelope; gives how many succeeded.
 * A failed envelope is skipped until the next round, so that it never blocks those behind it.
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
