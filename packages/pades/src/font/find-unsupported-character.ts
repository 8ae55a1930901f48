import type { Fonts, Mark } from "../pdf/types.ts";
import { drawableText } from "./text-fonts.ts";
import { parseTrueType } from "./true-type-font.ts";

/**
 * Gives the first character of these texts and of a typed mark that no font can draw, or null: what `prepareSignature` would refuse,
 * known before a consent is recorded.
 */
export function findUnsupportedCharacter(
  fonts: Fonts,
  printed: { readonly texts: readonly string[]; readonly mark?: Mark },
): string | null {
  const inTexts = missingCharacter(printed.texts.join(""), fonts.text);
  if (inTexts !== null || printed.mark?.kind !== "typed") return inTexts;
  return missingCharacter(printed.mark.text, [fonts.hands[printed.mark.hand], ...fonts.text]);
}

/** Gives the first character of a text that none of these fonts draws, or null. */
export function missingCharacter(text: string, fonts: readonly Uint8Array[]): string | null {
  const candidates = fonts.map(parseTrueType);
  const characters = drawableText(text).replace(/[\r\n]/g, "");
  return Array.from(characters).find((character) => candidates.every((font) => font.glyphOf(character.codePointAt(0) ?? 0) === 0)) ?? null;
}
