/**
 * Gives a text in NFC without invisible characters (soft hyphens, zero widths, joiners, byte order
 * and direction marks), which nobody could type.
 */
export function visibleText(text: string): string {
  return text.replace(/\p{Cf}/gu, "").normalize("NFC");
}
