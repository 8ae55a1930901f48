import { children, child, magnitude, parseDer } from "./der-reader.ts";
import { sequence, unsignedInteger } from "./der-writer.ts";

/** Gives the DER `Ecdsa-Sig-Value` of an r‖s value (what WebCrypto and PKCS#11 give). Source: RFC 3279 §2.2.3. */
export function ecdsaRawToDer(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  return sequence(unsignedInteger(raw.subarray(0, half)), unsignedInteger(raw.subarray(half)));
}

/** Gives the r‖s value of a DER `Ecdsa-Sig-Value`; `size` is the length of each half, or null is given when a number does not fit. */
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
