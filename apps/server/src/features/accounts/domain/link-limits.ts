import { RESEND_COOLDOWN_S } from "@paraphe/contracts";

const HOUR_MS = 3_600_000;
/** Links that one address may get in an hour (security lines 31 and 32). */
const LINKS_PER_HOUR = 3;

/** How far back links count. */
export function linkWindowStart(now: Date): Date {
  return new Date(now.getTime() - HOUR_MS);
}

/** Tells whether an address may get one more link: 60 seconds after the last, at most 3 an hour. */
export function mayGetLink(earlier: readonly Date[], now: Date): boolean {
  if (earlier.length >= LINKS_PER_HOUR) return false;
  return earlier.every((time) => now.getTime() - time.getTime() >= RESEND_COOLDOWN_S * 1_000);
}
