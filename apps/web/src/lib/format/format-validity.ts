import { formatDay, formatLongDay } from "./format-dates.ts";

const DAY_MS = 86_400_000;
const ONE_ACT_DAYS = 3;

type Validity = { readonly valid_from: string; readonly valid_to: string };

/**
 * Null for a certificate of a longer life. A short one's end alone would suggest that the signature
 * lapses. Times are ISO 8601.
 */
export function formatServedDate(
  { valid_from, valid_to }: Validity,
  signedAt: string | undefined,
): string | null {
  if (Date.parse(valid_to) - Date.parse(valid_from) > ONE_ACT_DAYS * DAY_MS) return null;
  const when = signedAt === undefined ? "" : `, le ${formatLongDay(signedAt)}`;
  return `a servi une seule fois${when}. Sa validité se juge à cet instant`;
}

export function formatValidity(certificate: Validity, signedAt: string | undefined): string {
  const dates = `du ${formatDay(certificate.valid_from)} au ${formatDay(certificate.valid_to)}`;
  const served = formatServedDate(certificate, signedAt);
  return served === null ? `est valable ${dates}.` : `${served} (${dates}).`;
}

/** « Les fichiers sont exactement ceux que les 2 signataires ont signés. » */
export function exactlySigned({
  files,
  signers,
}: {
  readonly files: number;
  readonly signers: number;
}): string {
  const what =
    files === 1 ? "Le fichier est exactement celui que" : "Les fichiers sont exactement ceux que";
  const whose = files === 1 ? "son signataire" : "leur signataire";
  const signed = files === 1 ? "signé" : "signés";
  return `${what} ${signers > 1 ? `les ${signers}\u00a0signataires ont` : `${whose} a`} ${signed}.`;
}
