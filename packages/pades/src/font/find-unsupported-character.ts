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
  const text = fonts.text.map(parseTrueType);
  const missing = (value: string, candidates: typeof text): string | null => {
    const characters = drawableText(value).replace(/[\r\n]/g, "");
    return (
      Array.from(characters).find((character) => candidates.every((font) => font.glyphOf(character.codePointAt(0) ?? 0) === 0)) ?? null
    );
  };
  const inTexts = missing(printed.texts.join(""), text);
  if (inTexts !== null || printed.mark?.kind !== "typed") return inTexts;
  return missing(printed.mark.text, [parseTrueType(fonts.hands[printed.mark.hand]), ...text]);
}
