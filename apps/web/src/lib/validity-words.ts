import { formatDay, formatLongDay } from "./format-dates.ts";

const DAY_MS = 86_400_000;
/** A certificate that lives no longer was made for one act. */
const ONE_ACT_DAYS = 3;

/**
 * Says when a certificate is valid. Of one that was made for a single act, the end alone would read as a signature about to lapse: what counts is the
 * instant of the signature. Times are ISO 8601.
 */
export function validityWords(
  { valid_from, valid_to }: { readonly valid_from: string; readonly valid_to: string },
  signedAt: string | undefined,
): string {
  const dates = `du ${formatDay(valid_from)} au ${formatDay(valid_to)}`;
  if (Date.parse(valid_to) - Date.parse(valid_from) > ONE_ACT_DAYS * DAY_MS) return `est valable ${dates}.`;
  const when = signedAt === undefined ? "" : `, le ${formatLongDay(signedAt)}`;
  return `a servi une seule fois${when}. Sa validité se juge à cet instant (${dates}).`;
}
