import type { Platform } from "../../platform/platform.ts";

const BATCH = 500;

export type DueWork = {
  readonly what: string;
  readonly select: (window: {
    readonly limit: number;
    readonly skip: number;
  }) => Promise<readonly string[]>;
  /** In its own transaction; false when still due. */
  readonly run: (envelopeId: string) => Promise<boolean>;
};

/** Gives how many succeeded. One that fails waits for the next round, and blocks none behind it. */
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
