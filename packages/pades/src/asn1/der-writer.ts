/** A schema-driven encoder took most of a time-stamp's time (X.690 §8, §10). */

const TEXT = new TextEncoder();

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/** Source: X.690 §8.1.3, §10.1. */
export function tlv(tag: number, content: Uint8Array): Uint8Array {
  const length = content.length;
  const head =
    length < 0x80 ? 2 : length < 0x100 ? 3 : length < 0x10000 ? 4 : length < 0x1000000 ? 5 : 6;
  const out = new Uint8Array(head + length);
  out[0] = tag;
  if (head === 2) out[1] = length;
  else {
    out[1] = 0x80 | (head - 2);
    for (let index = head - 1, rest = length; index > 1; index -= 1, rest = Math.floor(rest / 256))
      out[index] = rest & 0xff;
  }
  out.set(content, head);
  return out;
}

export const sequence = (...items: readonly Uint8Array[]): Uint8Array =>
  tlv(0x30, concatBytes(items));
export const octetString = (bytes: Uint8Array): Uint8Array => tlv(0x04, bytes);
export const bitString = (bytes: Uint8Array, unusedBits = 0): Uint8Array =>
  tlv(0x03, concatBytes([Uint8Array.of(unusedBits), bytes]));
export const utf8String = (text: string): Uint8Array => tlv(0x0c, TEXT.encode(text));
export const printableString = (text: string): Uint8Array => tlv(0x13, TEXT.encode(text));
export const nullValue = (): Uint8Array => Uint8Array.of(0x05, 0x00);
export const booleanValue = (value: boolean): Uint8Array =>
  Uint8Array.of(0x01, 0x01, value ? 0xff : 0x00);
export const enumerated = (value: number): Uint8Array => Uint8Array.of(0x0a, 0x01, value);
/** `[n] EXPLICIT`, or `[n] IMPLICIT` of a constructed type. */
export const explicit = (number: number, ...items: readonly Uint8Array[]): Uint8Array =>
  tlv(0xa0 | number, concatBytes(items));
/** `[n] IMPLICIT` of a primitive type. */
export const implicit = (number: number, content: Uint8Array): Uint8Array =>
  tlv(0x80 | number, content);

/** Members in DER order. Source: X.690 §11.6. */
export function setOf(...items: readonly Uint8Array[]): Uint8Array {
  return tlv(0x31, concatBytes(items.toSorted(compareBytes)));
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Unsigned, big-endian. Source: X.690 §8.3. */
export function unsignedInteger(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const digits = bytes.subarray(start);
  if (digits.length === 0) return Uint8Array.of(0x02, 0x01, 0x00);
  return tlv(0x02, (digits[0] ?? 0) & 0x80 ? concatBytes([Uint8Array.of(0), digits]) : digits);
}

export function integer(value: number | bigint): Uint8Array {
  const hex = BigInt(value).toString(16);
  const padded = hex.length % 2 ? `0${hex}` : hex;
  return unsignedInteger(
    Uint8Array.from(padded.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
  );
}

const OIDS = new Map<string, Uint8Array>();

/** Source: X.690 §8.19. */
export function oid(dotted: string): Uint8Array {
  const known = OIDS.get(dotted);
  if (known) return known;
  const [first = 0, second = 0, ...arcs] = dotted.split(".").map(Number);
  const content: number[] = [];
  for (const arc of [first * 40 + second, ...arcs]) {
    const digits = [arc % 128];
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128))
      digits.unshift((rest % 128) | 0x80);
    content.push(...digits);
  }
  const encoded = tlv(0x06, Uint8Array.from(content));
  OIDS.set(dotted, encoded);
  return encoded;
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");
const clock = (at: Date): string =>
  `${twoDigits(at.getUTCMonth() + 1)}${twoDigits(at.getUTCDate())}${twoDigits(at.getUTCHours())}${twoDigits(at.getUTCMinutes())}${twoDigits(at.getUTCSeconds())}Z`;

/** RFC 5280 §4.1.2.5.2 forbids fractions, openssl refuses them in OCSP. */
export function generalizedTime(at: Date): Uint8Array {
  return tlv(0x18, TEXT.encode(String(at.getUTCFullYear()).padStart(4, "0") + clock(at)));
}

/** UTCTime until 2049, then GeneralizedTime. Source: RFC 5280 §4.1.2.5. */
export function time(at: Date): Uint8Array {
  const year = at.getUTCFullYear();
  return year >= 1950 && year < 2050
    ? tlv(0x17, TEXT.encode(twoDigits(year % 100) + clock(at)))
    : generalizedTime(at);
}
