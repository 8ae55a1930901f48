/** Hexadecimal, of Instrument Sans and Noto Sans; a server test compares them with the fonts. */
const PRINTED_RANGES = [
  "0 9-a d 20-7e a0-377 37a-37f 384-38a 38c 38e-3a1 3a3-3e1 3f0-52f 900-97f 10fb 1ab0-1ac0 1ac5 1ac7-1ace 1c80-1c88 1d00-1df9",
  "1dfb-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 1f5b 1f5d 1f5f-1f7c 1f80-1fb4 1fb6-1fc4 1fc6-1fd2 1fd6-1fda 1fdd-1fed",
  "1ff2-1ff4 1ff6-1ffe 2002-2064 2066-2071 2074-208e 2090-209c 20a0-20c0 20f0 2100-215f 2183-2184 2189 2190-2199 2212 25cc",
  "2c60-2c7f 2de0-2e5d a640-a69f a700-a7ca a7d0-a7d1 a7d3 a7d5-a7d9 a7f2-a7ff a8ff a92e ab30-ab6b fb00-fb06 fe00 fe20-fe2f feff",
  "fffc-fffd 10780-10785 10787-107b0 107b2-107ba 1df00-1df1e",
].join(" ");
let ranges: readonly (readonly [number, number])[] | null = null;

/** Gives the first character (NFC) without glyph; null for none. */
export function firstUnprinted(text: string): string | null {
  ranges ??= PRINTED_RANGES.split(" ").map((range) => {
    const [first = "", last = first] = range.split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
  for (const character of text.normalize("NFC")) {
    const code = character.codePointAt(0) ?? 0;
    if (!ranges.some(([first, last]) => code >= first && code <= last)) return character;
  }
  return null;
}

export function unprintedSentence(character: string): string {
  return `Le caractère «\u00a0${character}\u00a0» ne peut pas être imprimé dans le document. Remplacez-le.`;
}
