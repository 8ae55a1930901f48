import type { Transaction } from "../../../platform/database/database.ts";
import { together } from "../../../platform/database/together.ts";
import type { Platform } from "../../../platform/platform.ts";
import { insertAct, type NewAct } from "./store.ts";

export const SEAL_JOB = "seal-act";
/** The process that recorded the act seals it at once; the job is for when it died, or had no time-stamp. */
const JOB_DELAY_MS = 5_000;

/** Commits a person's consent, with the job that will make a signature of it whatever happens to this process. */
export async function recordAct(trx: Transaction, platform: Pick<Platform, "queue" | "clock">, act: NewAct): Promise<void> {
  const startAfter = new Date(platform.clock().getTime() + JOB_DELAY_MS);
  await together([
    insertAct(trx, act),
    platform.queue.enqueue(trx, SEAL_JOB, { act_id: act.id }, { id: act.id, singletonKey: act.id, startAfter }),
  ]);
}
