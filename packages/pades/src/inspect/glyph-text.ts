/** Names of glyphs, by the characters that they stand for. Source: ISO 32000-2 annex D.2 (Latin character set); Adobe Glyph List. */
const NAMES = `space 20 nbspace a0 exclam 21 quotedbl 22 numbersign 23 dollar 24 percent 25 ampersand 26 quotesingle 27 parenleft 28 parenright 29
asterisk 2a plus 2b comma 2c hyphen 2d minus 2d sfthyphen ad period 2e slash 2f zero 30 one 31 two 32 three 33 four 34 five 35 six 36 seven 37 eight 38
nine 39 colon 3a semicolon 3b less 3c equal 3d greater 3e question 3f at 40 bracketleft 5b backslash 5c bracketright 5d asciicircum 5e underscore 5f
grave 60 braceleft 7b bar 7c braceright 7d asciitilde 7e exclamdown a1 cent a2 sterling a3 currency a4 yen a5 brokenbar a6 section a7 dieresis a8
copyright a9 ordfeminine aa guillemotleft ab logicalnot ac registered ae macron af degree b0 plusminus b1 twosuperior b2 threesuperior b3 acute b4
mu b5 paragraph b6 periodcentered b7 cedilla b8 onesuperior b9 ordmasculine ba guillemotright bb onequarter bc onehalf bd threequarters be
questiondown bf AE c6 Oslash d8 Eth d0 Thorn de germandbls df ae e6 oslash f8 eth f0 thorn fe multiply d7 divide f7 dotlessi 131 Lslash 141 lslash 142
OE 152 oe 153 florin 192 circumflex 2c6 caron 2c7 breve 2d8 dotaccent 2d9 ring 2da ogonek 2db tilde 2dc hungarumlaut 2dd endash 2013 emdash 2014
quoteleft 2018 quoteright 2019 quotesinglbase 201a quotedblleft 201c quotedblright 201d quotedblbase 201e dagger 2020 daggerdbl 2021 bullet 2022
ellipsis 2026 perthousand 2030 guilsinglleft 2039 guilsinglright 203a fraction 2044 Euro 20ac trademark 2122 fi fb01 fl fb02`;
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  [...NAMES.matchAll(/(\w+) ([0-9a-f]+)/g)].map(([, name = "", code = ""]) => [name, String.fromCharCode(Number.parseInt(code, 16))]),
);
/** The marks that names of accented letters end with, as combining characters. */
const ACCENTS: Readonly<Record<string, string>> = {
  grave: "\u0300",
  acute: "\u0301",
  circumflex: "\u0302",
  tilde: "\u0303",
  dieresis: "\u0308",
  ring: "\u030a",
  caron: "\u030c",
  cedilla: "\u0327",
};
const ACCENTED = new RegExp(`^([A-Za-z])(${Object.keys(ACCENTS).join("|")})$`);

/** Gives the character that a glyph's name stands for; null for a name that says nothing, as those of subsets do. */
export function glyphText(name: string): string | null {
  const known = CHARACTERS.get(name);
  if (known !== undefined) return known;
  if (/^[A-Za-z]$/.test(name)) return name;
  if (name === ".notdef") return "";
  const [, letter = "", accent = ""] = ACCENTED.exec(name) ?? [];
  if (letter !== "") return letter + ACCENTS[accent];
  const code = /^uni([0-9A-F]{4})$/.exec(name)?.[1] ?? /^u([0-9A-F]{4,5})$/.exec(name)?.[1];
  return code === undefined ? null : String.fromCodePoint(Number.parseInt(code, 16));
}
