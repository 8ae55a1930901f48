import { formatFileSize } from "@paraphe/kernel/french-numbers";

export {
  formatCount,
  formatDecimal,
  formatFileSize,
  formatPercent,
  plural,
} from "@paraphe/kernel/french-numbers";

const twoDecimals = new Intl.NumberFormat("fr-FR", {
  maximumFractionDigits: 2,
  roundingMode: "ceil",
});

/** Never rounds a size over the limit to the limit: « 10,01 Mo » beside 10 Mo. */
export function formatSizeOver(bytes: number, limit: number): string {
  const isSaidAlike = bytes > limit && formatFileSize(bytes) === formatFileSize(limit);
  return isSaidAlike
    ? `${twoDecimals.format(bytes / (1024 * 1024))}\u00a0Mo`
    : formatFileSize(bytes);
}
