import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import { ownEntry } from "../pades-error.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { latinText } from "../pdf/byte-reader.ts";
import { dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { contentOperations, contentText } from "./flatten-layers.ts";

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** One character a byte. Source: ISO 32000-2 §7.3.4. */
function stringBytes(syntax: string): string {
  if (syntax.startsWith("<")) return hexBytes(syntax);
  return syntax
    .slice(1, -1)
    .replace(/\\([0-7]{1,3}|\r\n|[\s\S])|\r\n?/g, (_whole, escape: string | undefined) => {
      if (escape === undefined) return "\n";
      if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8) & 0xff);
      if (/^[\r\n]/.test(escape)) return "";
      return ESCAPES[escape] ?? escape;
    });
}

function hexBytes(syntax: string): string {
  const digits = syntax.replace(/[^0-9A-Fa-f]/g, "");
  return (digits.length % 2 === 0 ? digits : `${digits}0`).replace(/../g, (pair) =>
    String.fromCharCode(Number.parseInt(pair, 16)),
  );
}

/** Source: ISO 32000-2 annex D.2 (Latin character set); Adobe Glyph List. */
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
  [...NAMES.matchAll(/(\w+) ([0-9a-f]+)/g)].map(([, name = "", code = ""]) => [
    name,
    String.fromCharCode(Number.parseInt(code, 16)),
  ]),
);
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

/** Null for an arbitrary name, as in subsets. */
function glyphText(name: string): string | null {
  const known = CHARACTERS.get(name);
  if (known !== undefined) return known;
  if (/^[A-Za-z]$/.test(name)) return name;
  if (name === ".notdef") return "";
  const [, letter = "", accent = ""] = ACCENTED.exec(name) ?? [];
  if (letter !== "") return letter + ACCENTS[accent];
  const code = /^uni([0-9A-F]{4})$/.exec(name)?.[1] ?? /^u([0-9A-F]{4,5})$/.exec(name)?.[1];
  return code === undefined ? null : String.fromCodePoint(Number.parseInt(code, 16));
}

type FontCodes = (bytes: string) => string | null;

/** Source: ISO 32000-2 §9.8.2, table 121. */
const SYMBOLIC = 4;
const MOST_CODES = 65_536;
const LONGEST_MAP = 4_000_000;
const READABLE: Readonly<Record<string, string>> = {
  WinAnsiEncoding: "windows-1252",
  MacRomanEncoding: "macintosh",
};
const PICTURES = /^(?:Symbol|ZapfDingbats)/;
const SUBSTITUTE: FontCodes = (bytes) => new TextDecoder("windows-1252").decode(latinBytes(bytes));

/** The font's program is not read. Source: ISO 32000-2 §9.6.5, §9.7.5, §9.10 (ToUnicode). */
function fontCodes(open: OpenPdf, font: PdfDict | undefined): FontCodes {
  if (!font) return SUBSTITUTE;
  if (nameAt(open, font, "Subtype") === "Type0") return compositeCodes(open, font);
  return simpleCodes(open, font) ?? byMap(toUnicodeOf(open, font), 1);
}

function compositeCodes(open: OpenPdf, font: PdfDict): FontCodes {
  const encoding = nameAt(open, font, "Encoding") ?? "";
  if (/^Uni.*-(?:UCS2|UTF16)-/.test(encoding))
    return (bytes) => new TextDecoder("utf-16be").decode(latinBytes(bytes));
  return /^Identity-[HV]$/.test(encoding) ? byMap(toUnicodeOf(open, font), 2) : () => null;
}

/** The encoding says what is drawn, ToUnicode what is copied. */
function simpleCodes(open: OpenPdf, font: PdfDict): FontCodes | null {
  const encoding = follow(open, font.get("Encoding"));
  const descriptor = dictAt(open, font, "FontDescriptor");
  const isSymbolic = ((descriptor && numberAt(open, descriptor, "Flags")) ?? 0) & SYMBOLIC;
  if (
    nameAt(open, font, "Subtype") === "Type3" ||
    PICTURES.test(nameAt(open, font, "BaseFont") ?? "")
  )
    return null;
  if (encoding instanceof PdfName) return baseCodes(encoding.value);
  if (!(encoding instanceof PdfDict)) return isSymbolic ? null : baseCodes("StandardEncoding");
  const named = nameAt(open, encoding, "BaseEncoding");
  const base =
    named === undefined && isSymbolic ? (): null => null : baseCodes(named ?? "StandardEncoding");
  const differences = differencesOf(open, encoding);
  return (bytes) =>
    joined(
      Array.from(bytes, (byte) =>
        differences.has(byte) ? (differences.get(byte) ?? null) : base(byte),
      ),
    );
}

/** Source: ISO 32000-2 annex D.2: no TextDecoder has it beyond ASCII. */
function baseCodes(name: string): FontCodes {
  const decoder = ownEntry(READABLE, name);
  if (decoder !== undefined) return (bytes) => new TextDecoder(decoder).decode(latinBytes(bytes));
  return (bytes) => (/^[\t\n\r -~]*$/.test(bytes) && name !== "MacExpertEncoding" ? bytes : null);
}

function differencesOf(open: OpenPdf, encoding: PdfDict): ReadonlyMap<string, string | null> {
  const list = follow(open, encoding.get("Differences"));
  const found = new Map<string, string | null>();
  let code = 0;
  for (const item of list instanceof PdfArray ? list : []) {
    const value = follow(open, item);
    if (value instanceof PdfNumber) code = value.value;
    if (value instanceof PdfName && code < 256)
      found.set(String.fromCharCode(code++), glyphText(value.value));
  }
  return found;
}

function toUnicodeOf(open: OpenPdf, font: PdfDict): string | null {
  const map = follow(open, font.get("ToUnicode"));
  return map instanceof PdfStream ? latinText(decodedData(map, decodingBudget(open))) : null;
}

const HEX = "<([0-9A-Fa-f\\s]*)>";
const PAIR = new RegExp(`${HEX}\\s*${HEX}`, "g");
const RANGE = new RegExp(`${HEX}\\s*${HEX}\\s*(?:${HEX}|\\[([^\\]]*)\\])`, "g");

/** `width`: bytes of a code. Source: ISO 32000-2 §9.10.3. */
function byMap(map: string | null, width: number): FontCodes {
  if (map === null || map.length > LONGEST_MAP) return () => null;
  const characters = new Map<string, string>();
  let left = MOST_CODES;
  for (const body of blocksOf(map, "bfchar"))
    for (const [, code = "", text = ""] of body.matchAll(PAIR))
      characters.set(bytesOf(code), utf16(text));
  for (const body of blocksOf(map, "bfrange"))
    for (const range of body.matchAll(RANGE))
      if (left > 0) left -= addRange(characters, range, left);
  if (left <= 0) return () => null;
  return (bytes) =>
    joined(
      (bytes.match(new RegExp(`[\\s\\S]{${width}}`, "g")) ?? []).map(
        (code) => characters.get(code) ?? null,
      ),
    );
}

function blocksOf(map: string, kind: "bfchar" | "bfrange"): readonly string[] {
  return map
    .split(`begin${kind}`)
    .slice(1)
    .map((block) => block.slice(0, Math.max(0, block.indexOf(`end${kind}`))));
}

function addRange(
  characters: Map<string, string>,
  [, first = "", last = "", start, list]: RegExpExecArray,
  most: number,
): number {
  const [from, to, digits] = [
    Number.parseInt(first, 16),
    Number.parseInt(last, 16),
    first.replace(/\s/g, "").length,
  ];
  const texts =
    list === undefined
      ? null
      : [...list.matchAll(new RegExp(HEX, "g"))].map(([, text = ""]) => utf16(text));
  const base = utf16(start ?? "");
  let step = 0;
  for (; from + step <= to && step < most; step += 1) {
    const text = texts
      ? texts[step]
      : base.slice(0, -1) + String.fromCharCode((base.charCodeAt(base.length - 1) || 0) + step);
    if (text !== undefined)
      characters.set(bytesOf((from + step).toString(16).padStart(digits, "0")), text);
  }
  return Math.max(1, step);
}

const bytesOf = (hex: string): string => stringBytes(`<${hex}>`);
const utf16 = (hex: string): string => new TextDecoder("utf-16be").decode(latinBytes(bytesOf(hex)));

function joined(parts: readonly (string | null)[]): string | null {
  return parts.every((part) => part !== null) ? parts.join("") : null;
}

/** `text`: null when the fonts do not reveal it; `paints`: something else is drawn too. */
export type ShownText = { readonly text: string | null; readonly paints: boolean };

/** Source: ISO 32000-2 §8.2, table 50. */
const PAINTING = new Set(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh", "EI"]);
const SHOWING = new Set(["Tj", "TJ", "'", '"']);
/** Invisible rendering modes. Source: ISO 32000-2 §9.3.6, table 104. */
const UNSEEN = new Set(["3", "7"]);
const MAX_DEPTH = 4;
/** Text beyond this is not read. Units: characters. */
export const LONGEST_SHOWN = 40_000;

type State = { readonly codes: FontCodes; readonly mode: string };
type Frame = {
  readonly resources: readonly PdfDict[];
  readonly state: State;
  readonly depth: number;
};

/**
 * `defaults`: the form's resources, where readers look for missing fonts. Source: ISO 32000-2 §9.4.
 */
export function shownText(
  open: OpenPdf,
  look: PdfStream,
  defaults: PdfDict | undefined,
): ShownText {
  const state = { codes: fontCodes(open, undefined), mode: "0" };
  return readForm(open, look, { resources: defaults ? [defaults] : [], state, depth: 0 });
}

function readForm(
  open: OpenPdf,
  form: PdfStream,
  { resources, state: outer, depth }: Frame,
): ShownText {
  const own = dictAt(open, form, "Resources");
  const known = own ? [own, ...resources] : resources;
  const saved: State[] = [];
  let state = outer;
  let text: string | null = "";
  let paints = false;
  const add = (more: string | null): void =>
    void (text = text === null || more === null ? null : text + more);
  for (const { operator, operands } of contentOperations(contentText(open, form))) {
    if (text !== null && text.length > LONGEST_SHOWN) break;
    if (operator === "q") saved.push(state);
    else if (operator === "Q") state = saved.pop() ?? outer;
    else if (operator === "Tf") state = { ...state, codes: codesOf(open, known, operands[0]) };
    else if (operator === "Tr") state = { ...state, mode: operands[0] ?? "0" };
    else if (SHOWING.has(operator) && !UNSEEN.has(state.mode))
      for (const shown of stringsOf(operands)) add(state.codes(shown));
    else if (operator === "Do") {
      const inner = objectOf(open, known, operands[0]);
      const isForm = inner !== null && nameAt(open, inner, "Subtype") === "Form";
      const shown =
        isForm && depth < MAX_DEPTH
          ? readForm(open, inner, { resources: known, state, depth: depth + 1 })
          : null;
      add(isForm ? (shown?.text ?? null) : "");
      paints ||= shown?.paints ?? true;
    } else if (PAINTING.has(operator)) paints = true;
  }
  return { text, paints };
}

const stringsOf = (operands: readonly string[]): string[] =>
  operands.filter((one) => /^(?:\(|<(?!<))/.test(one)).map(stringBytes);

const READ = new WeakMap<PdfDict, FontCodes>();

function codesOf(
  open: OpenPdf,
  resources: readonly PdfDict[],
  operand: string | undefined,
): FontCodes {
  const font = named(open, resources, { kind: "Font", operand });
  if (!(font instanceof PdfDict)) return fontCodes(open, undefined);
  const codes = READ.get(font) ?? fontCodes(open, font);
  READ.set(font, codes);
  return codes;
}

function objectOf(
  open: OpenPdf,
  resources: readonly PdfDict[],
  operand: string | undefined,
): PdfStream | null {
  const found = named(open, resources, { kind: "XObject", operand });
  return found instanceof PdfStream ? found : null;
}

function named(
  open: OpenPdf,
  resources: readonly PdfDict[],
  { kind, operand }: { readonly kind: string; readonly operand: string | undefined },
) {
  const name =
    operand
      ?.slice(1)
      .replace(/#([0-9A-Fa-f]{2})/g, (_code, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ) ?? "";
  for (const one of resources) {
    const found = follow(open, dictAt(open, one, kind)?.get(name));
    if (found !== undefined) return found;
  }
  return undefined;
}
