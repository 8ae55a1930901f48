import { PadesError } from "../pades-error.ts";
import { concatBytes, sequence, tlv, unsignedInteger } from "./der-writer.ts";

const DIGITS = new TextEncoder().encode("0123456789abcdef");
const DECODER = new TextDecoder();

export function toHex(bytes: Uint8Array): string {
  const digits = new Uint8Array(bytes.length * 2);
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    digits[index * 2] = DIGITS[byte >> 4] ?? 0;
    digits[index * 2 + 1] = DIGITS[byte & 15] ?? 0;
  }
  // Joining strings would take thirty times their size.
  return DECODER.decode(digits);
}

const VALUES = Int8Array.from({ length: 256 }, (_, byte) =>
  "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()),
);

export function hexDigit(byte = 0): number {
  return VALUES[byte] ?? -1;
}

/** `bytes`: the whole element; both are views. */
export type Asn1 = {
  readonly tag: number;
  readonly bytes: Uint8Array;
  readonly content: Uint8Array;
};

const MAX_DEPTH = 64;

/**
 * Reads an element.
 * Tolerance: BER indefinite lengths (Adobe, older Java producers).
 * Errors: `asn1_malformed` for a truncated element or an invalid length.
 */
export function readElement(input: Uint8Array, offset = 0, depth = 0): Asn1 {
  const tag = input[offset];
  const first = input[offset + 1];
  if (tag === undefined || first === undefined || depth > MAX_DEPTH)
    throw malformed("an element", offset);
  if ((tag & 0x1f) === 0x1f) throw malformed("a single-byte tag", offset);
  if (first === 0x80) return readIndefinite(input, offset, depth);
  let length = first;
  let head = 2;
  if (first > 0x80) {
    const count = first & 0x7f;
    if (count > 4) throw malformed("a length of at most four bytes", offset);
    length = 0;
    for (let index = 0; index < count; index += 1)
      length = length * 256 + (input[offset + 2 + index] ?? 0);
    head += count;
  }
  const end = offset + head + length;
  if (end > input.length) throw malformed("content within the input", offset);
  return { tag, bytes: input.subarray(offset, end), content: input.subarray(offset + head, end) };
}

function readIndefinite(input: Uint8Array, offset: number, depth: number): Asn1 {
  let position = offset + 2;
  while (input[position] !== 0 || input[position + 1] !== 0)
    position += readElement(input, position, depth + 1).bytes.length;
  return {
    tag: input[offset] ?? 0,
    bytes: input.subarray(offset, position + 2),
    content: input.subarray(offset + 2, position),
  };
}

export function parseDer(input: Uint8Array): Asn1 {
  const element = readElement(input);
  if (element.bytes.length !== input.length)
    throw malformed("no bytes after the element", element.bytes.length);
  return element;
}

export function children(element: Asn1): readonly Asn1[] {
  const out: Asn1[] = [];
  for (let offset = 0; offset < element.content.length; ) {
    const child = readElement(element.content, offset, 1);
    out.push(child);
    offset += child.bytes.length;
  }
  return out;
}

/** Errors: `asn1_malformed` for nesting deeper than any writer's. */
export function octets(element: Asn1, depth = 0): Uint8Array {
  if ((element.tag & 0x20) === 0) return element.content;
  if (depth > MAX_DEPTH) throw malformed(`at most ${MAX_DEPTH} levels of pieces`, 0);
  return concatBytes(children(element).map((part) => octets(part, depth + 1)));
}

/**
 * DER lengths and octet strings, members in order, as signed attributes are signed.
 * Errors: `asn1_malformed` for nesting deeper than any writer's.
 * Source: RFC 5652 §5.4; X.690 §10.1, §10.2.
 */
export function derOf(element: Asn1, depth = 0): Uint8Array {
  if (depth > MAX_DEPTH) throw malformed(`at most ${MAX_DEPTH} levels`, 0);
  if (element.tag === 0x24) return tlv(0x04, octets(element));
  const members = (element.tag & 0x20) === 0 ? [] : children(element);
  const written = members.map((member) => derOf(member, depth + 1));
  if (isShortest(element) && members.every(({ bytes }, index) => bytes === written[index]))
    return element.bytes;
  return tlv(element.tag, (element.tag & 0x20) === 0 ? element.content : concatBytes(written));
}

/** Source: X.690 §10.1. */
function isShortest({ bytes, content }: Asn1): boolean {
  if (content.length < 0x80) return bytes.length === content.length + 2;
  const count = Math.ceil((32 - Math.clz32(content.length)) / 8);
  // Two end-of-contents bytes make an indefinite length look definite.
  return bytes.length === content.length + 2 + count && bytes[1] === (0x80 | count);
}

/** Errors: `asn1_malformed`. */
export function child(members: readonly Asn1[], index: number, tag?: number): Asn1 {
  const found = members[index];
  if (!found || (tag !== undefined && found.tag !== tag)) {
    throw new PadesError(
      "asn1_malformed",
      `Expected tag ${tag ?? "any"} at member ${index}, met ${found?.tag ?? "nothing"}`,
    );
  }
  return found;
}

/** Source: X.690 §8.19. */
export function oidOf(element: Asn1): string {
  if (element.tag !== 0x06 || element.content.length === 0)
    throw malformed("an object identifier", 0);
  let text = "";
  let value = 0;
  for (let index = 0; index < element.content.length; index += 1) {
    const byte = element.content[index] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    text = text === "" ? firstArcs(value) : `${text}.${value}`;
    value = 0;
  }
  return text === "" ? firstArcs(0) : text;
}

/** The first two arcs share one number. */
function firstArcs(value: number): string {
  const first = Math.min(2, Math.floor(value / 40));
  return `${first}.${value - first * 40}`;
}

export function smallInteger(element: Asn1): number {
  if (element.content.length > 6) throw malformed("a small integer", 0);
  return element.content.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Unsigned, without the leading zero. */
export function magnitude(element: Asn1): Uint8Array {
  let start = 0;
  while (start < element.content.length - 1 && element.content[start] === 0) start += 1;
  return element.content.subarray(start);
}

export function bitStringBytes(element: Asn1): Uint8Array {
  if (element.tag !== 0x03 || element.content[0] !== 0)
    throw malformed("a bit string of whole bytes", 0);
  return element.content.subarray(1);
}

export function textOf(element: Asn1): string {
  if (element.tag === 0x1e) {
    let text = "";
    for (let index = 0; index + 1 < element.content.length; index += 2) {
      text += String.fromCharCode(
        ((element.content[index] ?? 0) << 8) | (element.content[index + 1] ?? 0),
      );
    }
    return text;
  }
  return new TextDecoder(element.tag === 0x14 ? "latin1" : "utf-8").decode(element.content);
}

/** Source: RFC 5280 §4.1.2.5, RFC 3161 §2.4.2 (fractions). */
export function timeOf(element: Asn1): Date {
  const text = textOf(element);
  const match = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?(?:\.(\d+))?Z$/.exec(text);
  if (!match) throw malformed("a UTC time", 0);
  const [, years = "", month, day, hour, minute, second = "0", fraction = "0"] = match;
  const year =
    years.length === 4 ? Number(years) : Number(years) + (Number(years) < 50 ? 2000 : 1900);
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  return new Date(
    Date.UTC(
      year,
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
      milliseconds,
    ),
  );
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1)
    if (left[index] !== right[index]) return false;
  return true;
}

function malformed(expected: string, offset: number): PadesError {
  return new PadesError("asn1_malformed", `Expected ${expected} at offset ${offset}`, {
    offset,
    clause: "X.690 §8.1",
  });
}

/** DER `Ecdsa-Sig-Value` from r‖s (WebCrypto, PKCS#11). Source: RFC 3279 §2.2.3. */
export function ecdsaRawToDer(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  return sequence(unsignedInteger(raw.subarray(0, half)), unsignedInteger(raw.subarray(half)));
}

/** r‖s from DER `Ecdsa-Sig-Value`, each of `size` bytes; null when a number does not fit. */
export function ecdsaDerToRaw(der: Uint8Array, size: number): Uint8Array | null {
  const value = parseDer(der);
  if (value.tag !== 0x30) return null;
  const members = children(value);
  if (members.length !== 2) return null;
  const numbers = [magnitude(child(members, 0, 0x02)), magnitude(child(members, 1, 0x02))];
  const raw = new Uint8Array(size * 2);
  for (const [index, number] of numbers.entries()) {
    if (number.length > size) return null;
    raw.set(number, size * (index + 1) - number.length);
  }
  return raw;
}
