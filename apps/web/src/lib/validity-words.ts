import { formatDay, formatLongDay } from "./format-dates.ts";

const DAY_MS = 86_400_000;
/** A certificate that lives no longer was made for one act. */
const ONE_ACT_DAYS = 3;

type Validity = { readonly valid_from: string; readonly valid_to: string };

/**
 * Says of a certificate that was made for a single act when it served, null of another: its end alone would read as a signature about to lapse, and
 * what counts is the instant of the signature. Times are ISO 8601.
 */
export function servedWords(
  { valid_from, valid_to }: Validity,
  signedAt: string | undefined,
): string | null {
  if (Date.parse(valid_to) - Date.parse(valid_from) > ONE_ACT_DAYS * DAY_MS) return null;
  const when = signedAt === undefined ? "" : `, le ${formatLongDay(signedAt)}`;
  return `a servi une seule fois${when}. Sa validité se juge à cet instant`;
}

/** The same with its dates, of any certificate. */
export function validityWords(certificate: Validity, signedAt: string | undefined): string {
  const dates = `du ${formatDay(certificate.valid_from)} au ${formatDay(certificate.valid_to)}`;
  const served = servedWords(certificate, signedAt);
  return served === null ? `est valable ${dates}.` : `${served} (${dates}).`;
}
