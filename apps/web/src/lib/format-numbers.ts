import { formatFileSize } from "@paraphe/contracts";

export { formatFileSize };

const integer = new Intl.NumberFormat("fr-FR");
const twoDecimals = new Intl.NumberFormat("fr-FR", {
  maximumFractionDigits: 2,
  roundingMode: "ceil",
});
const oneDecimal = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 1 });

/** « 1 204 ». */
export function formatCount(value: number): string {
  return integer.format(value);
}

/** « 73,8 ». */
export function formatDecimal(value: number): string {
  return oneDecimal.format(value);
}

/** « 73,8 % », with the no-break space French asks for. */
export function formatPercent(value: number): string {
  return `${oneDecimal.format(value)}\u00a0%`;
}

/** As `formatFileSize`, of a size just over a limit never the limit's own words: « 10,01 Mo » beside 10 Mo. */
export function formatSizeOver(bytes: number, limit: number): string {
  const isSaidAlike = bytes > limit && formatFileSize(bytes) === formatFileSize(limit);
  return isSaidAlike
    ? `${twoDecimals.format(bytes / (1024 * 1024))}\u00a0Mo`
    : formatFileSize(bytes);
}

/** « 3 documents », « 1 document », « 0 document ». */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${integer.format(count)} ${count > 1 ? many : one}`;
}
