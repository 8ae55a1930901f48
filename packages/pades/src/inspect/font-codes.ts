import { PdfArray, PdfDict, PdfName, PdfNumber, PdfStream } from "@libpdf/core";
import { ownEntry } from "../own-entry.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { latinText } from "../pdf/latin-text.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { dictAt, follow, nameAt, numberAt, type OpenPdf } from "../pdf/open-pdf.ts";
import { glyphText } from "./glyph-text.ts";
import { stringBytes } from "./string-bytes.ts";

/** Gives the text of a string that is shown, one character a byte; null when the font does not say what it shows. */
export type FontCodes = (bytes: string) => string | null;

/** Source: ISO 32000-2 §9.8.2, table 121. */
const SYMBOLIC = 4;
/** A map from codes to characters has no more than this, each of them once. */
const MOST_CODES = 65_536;
const LONGEST_MAP = 4_000_000;
const READABLE: Readonly<Record<string, string>> = { WinAnsiEncoding: "windows-1252", MacRomanEncoding: "macintosh" };
const PICTURES = /^(?:Symbol|ZapfDingbats)/;
/** What readers take for a font that is not there. */
const SUBSTITUTE: FontCodes = (bytes) => new TextDecoder("windows-1252").decode(latinBytes(bytes));

/**
 * Says how to read what a font shows, as far as it can be told without its program.
 * Source: ISO 32000-2 §9.6.5 (simple fonts), §9.7.5 (composite fonts), §9.10 (ToUnicode).
 */
export function fontCodes(open: OpenPdf, font: PdfDict | undefined): FontCodes {
  if (!font) return SUBSTITUTE;
  if (nameAt(open, font, "Subtype") === "Type0") return compositeCodes(open, font);
  return simpleCodes(open, font) ?? byMap(toUnicodeOf(open, font), 1);
}

function compositeCodes(open: OpenPdf, font: PdfDict): FontCodes {
  const encoding = nameAt(open, font, "Encoding") ?? "";
  if (/^Uni.*-(?:UCS2|UTF16)-/.test(encoding)) return (bytes) => new TextDecoder("utf-16be").decode(latinBytes(bytes));
  return /^Identity-[HV]$/.test(encoding) ? byMap(toUnicodeOf(open, font), 2) : () => null;
}

/** The encoding says what is drawn, the map only what is copied: it is asked where there is nothing else. */
function simpleCodes(open: OpenPdf, font: PdfDict): FontCodes | null {
  const encoding = follow(open, font.get("Encoding"));
  const descriptor = dictAt(open, font, "FontDescriptor");
  const isSymbolic = ((descriptor && numberAt(open, descriptor, "Flags")) ?? 0) & SYMBOLIC;
  if (nameAt(open, font, "Subtype") === "Type3" || PICTURES.test(nameAt(open, font, "BaseFont") ?? "")) return null;
  if (encoding instanceof PdfName) return baseCodes(encoding.value);
  if (!(encoding instanceof PdfDict)) return isSymbolic ? null : baseCodes("StandardEncoding");
  const named = nameAt(open, encoding, "BaseEncoding");
  const base = named === undefined && isSymbolic ? (): null => null : baseCodes(named ?? "StandardEncoding");
  const differences = differencesOf(open, encoding);
  return (bytes) => joined(Array.from(bytes, (byte) => (differences.has(byte) ? (differences.get(byte) ?? null) : base(byte))));
}

/** Beyond ASCII the standard encoding is neither of the two that decoders know. Source: ISO 32000-2 annex D.2. */
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
    if (value instanceof PdfName && code < 256) found.set(String.fromCharCode(code++), glyphText(value.value));
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

/** Reads by a map of codes of so many bytes. Source: ISO 32000-2 §9.10.3. */
function byMap(map: string | null, width: number): FontCodes {
  if (map === null || map.length > LONGEST_MAP) return () => null;
  const characters = new Map<string, string>();
  let left = MOST_CODES;
  for (const body of blocksOf(map, "bfchar"))
    for (const [, code = "", text = ""] of body.matchAll(PAIR)) characters.set(bytesOf(code), utf16(text));
  for (const body of blocksOf(map, "bfrange"))
    for (const range of body.matchAll(RANGE)) if (left > 0) left -= addRange(characters, range, left);
  if (left <= 0) return () => null;
  return (bytes) => joined((bytes.match(new RegExp(`[\\s\\S]{${width}}`, "g")) ?? []).map((code) => characters.get(code) ?? null));
}

function blocksOf(map: string, kind: "bfchar" | "bfrange"): readonly string[] {
  return map
    .split(`begin${kind}`)
    .slice(1)
    .map((block) => block.slice(0, Math.max(0, block.indexOf(`end${kind}`))));
}

/** Gives how many codes it has added, `most` at most. */
function addRange(characters: Map<string, string>, [, first = "", last = "", start, list]: RegExpExecArray, most: number): number {
  const [from, to, digits] = [Number.parseInt(first, 16), Number.parseInt(last, 16), first.replace(/\s/g, "").length];
  const texts = list === undefined ? null : [...list.matchAll(new RegExp(HEX, "g"))].map(([, text = ""]) => utf16(text));
  const base = utf16(start ?? "");
  let step = 0;
  for (; from + step <= to && step < most; step += 1) {
    const text = texts ? texts[step] : base.slice(0, -1) + String.fromCharCode((base.charCodeAt(base.length - 1) || 0) + step);
    if (text !== undefined) characters.set(bytesOf((from + step).toString(16).padStart(digits, "0")), text);
  }
  return Math.max(1, step);
}

const bytesOf = (hex: string): string => stringBytes(`<${hex}>`);
const utf16 = (hex: string): string => new TextDecoder("utf-16be").decode(latinBytes(bytesOf(hex)));

function joined(parts: readonly (string | null)[]): string | null {
  return parts.every((part) => part !== null) ? parts.join("") : null;
}
