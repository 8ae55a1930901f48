import { CODE_TRACE_HOURS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { removeEndedGuestSessions, removeOldAddressTries, removeOldCodes } from "./store.ts";

const EVERY_NIGHT = "40 3 * * *";
const ADDRESS_TRIES_KEPT_MS = 365 * 86_400_000;

export function registerSigningJobs(platform: Platform): void {
  platform.queue.schedule("remove-guest-sessions", EVERY_NIGHT, () => sweepGuests(platform));
}

/** With codes older than a day, and tries unused for a year. */
export async function sweepGuests(platform: Platform): Promise<void> {
  const now = platform.clock();
  await removeEndedGuestSessions(platform.db, now);
  await removeOldCodes(platform.db, new Date(now.getTime() - CODE_TRACE_HOURS * 3_600_000));
  await removeOldAddressTries(platform.db, new Date(now.getTime() - ADDRESS_TRIES_KEPT_MS));
}
