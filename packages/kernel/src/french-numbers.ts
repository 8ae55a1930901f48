const integer = new Intl.NumberFormat("fr-FR");
const oneDecimal = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 1 });

/** « 1 204 ». */
export function formatCount(value: number): string {
  return integer.format(value);
}

/** « 73,8 ». */
export function formatDecimal(value: number): string {
  return oneDecimal.format(value);
}

/** « 73,8 % ». */
export function formatPercent(value: number): string {
  return `${oneDecimal.format(value)}\u00a0%`;
}

/** « 3 documents », « 1 document », « 0 document ». */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${integer.format(count)} ${Math.abs(count) < 2 ? one : many}`;
}

const KO = 1024;
const MO = 1024 * KO;
const GO = 1024 * MO;

/**
 * « 184 Ko », « 2,1 Mo », « 9,6 Go », in units of 1 024 bytes (specification: 10 MB is 10 485 760
 * bytes).
 */
export function formatFileSize(bytes: number): string {
  if (bytes < KO) return `${integer.format(bytes)}\u00a0${bytes > 1 ? "octets" : "octet"}`;
  if (bytes < MO) return `${integer.format(Math.round(bytes / KO))}\u00a0Ko`;
  return bytes < GO
    ? `${oneDecimal.format(bytes / MO)}\u00a0Mo`
    : `${oneDecimal.format(bytes / GO)}\u00a0Go`;
}
