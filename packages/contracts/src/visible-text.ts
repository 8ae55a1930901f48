/**
 * Gives a text, composed, without the characters that have no shape: soft hyphens, spaces of no width, joiners, marks of byte order or of
 * direction. Nobody could type them back.
 */
export function visibleText(text: string): string {
  return text.replace(/\p{Cf}/gu, "").normalize("NFC");
}
