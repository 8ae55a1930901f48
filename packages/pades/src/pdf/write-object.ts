import {
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfString,
} from "@libpdf/core";
import { toHex } from "../asn1/der-reader.ts";

/** Above any reader's precision; JavaScript's limit. */
const MOST_DECIMALS = 100;

/** One Latin-1 character a byte; a stream as its dictionary. Source: ISO 32000-2 §7.3. */
export function writeObject(value: PdfObject): string {
  if (value instanceof PdfRef) return `${value.objectNumber} ${value.generation} R`;
  if (value instanceof PdfName) return writeName(value.value);
  if (value instanceof PdfNumber) return exactNumber(value.value);
  if (value instanceof PdfString) return writeBytesString(value.bytes);
  if (value instanceof PdfBool) return value.value ? "true" : "false";
  if (value instanceof PdfArray) return `[${value.toArray().map(writeObject).join(" ")}]`;
  if (value instanceof PdfDict)
    return `<<${[...value].map(([key, item]) => `${writeName(key.value)} ${writeObject(item)}`).join(" ")}>>`;
  return "null";
}

/** A name of one character a byte; irregular bytes become #xx. Source: ISO 32000-2 §7.3.5. */
export function writeName(name: string): string {
  let out = "/";
  for (let index = 0; index < name.length; index += 1) {
    const byte = name.charCodeAt(index);
    const regular =
      byte > 0x20 && byte < 0x7f && !"#()<>[]{}/%".includes(String.fromCharCode(byte));
    out += regular ? String.fromCharCode(byte) : `#${byte.toString(16).padStart(2, "0")}`;
  }
  return out;
}

/** Never an exponent (ISO 32000-2 §7.3.3). */
export function writeNumber(value: number, decimals = 2): string {
  const factor = 10 ** decimals;
  const rounded = Math.round(value * factor) / factor;
  // JavaScript writes exponents from 1e21.
  return Math.abs(rounded) < 1e21 ? String(rounded) : BigInt(rounded).toString();
}

/** Rounding may degenerate a matrix. */
function exactNumber(value: number): string {
  const shortest = String(value);
  const [, digits = "", exponent] = /^-?\d(?:\.(\d+))?e([+-]\d+)$/.exec(shortest) ?? [];
  if (exponent === undefined) return shortest;
  return Number(exponent) > 0
    ? BigInt(value).toString()
    : value.toFixed(Math.min(digits.length - Number(exponent), MOST_DECIMALS));
}

/** An ASCII literal, else UTF-16BE with a byte order mark. Source: ISO 32000-2 §7.9.2.2. */
export function writeText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replace(/[\\()]/g, "\\$&")})`;
  let hex = "FEFF";
  for (let index = 0; index < text.length; index += 1)
    hex += text.charCodeAt(index).toString(16).padStart(4, "0").toUpperCase();
  return `<${hex}>`;
}

/** Source: ISO 32000-2 §7.9.4. */
export function writeDate(at: Date): string {
  return `(D:${at.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z)`;
}

function writeBytesString(bytes: Uint8Array): string {
  let literal = "";
  for (const byte of bytes) {
    if (byte < 0x20 || byte > 0x7e) return `<${toHex(bytes)}>`;
    literal +=
      byte === 0x28 || byte === 0x29 || byte === 0x5c
        ? `\\${String.fromCharCode(byte)}`
        : String.fromCharCode(byte);
  }
  return `(${literal})`;
}
