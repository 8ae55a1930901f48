import { sha256 } from "@noble/hashes/sha2.js";

/** Reads base64 (RFC 4648 §4). Errors: DOMException for what is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  // `Uint8Array.from` with a function takes ten times as long, and a proof is mostly base64.
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index);
  return bytes;
}

/** Writes base64 (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Reads base64url without padding (RFC 7515 §2); null for another writing of the same bytes. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  // The last letter may have bits that stand for nothing: a change of them is a change of the file
  // all the same.
  const tail = text.length % 4 === 0 ? 0 : text.length % 4 === 2 ? 0b1111 : 0b11;
  const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".indexOf(
    text.at(-1) ?? "A",
  );
  return (last & tail) === 0 ? bytes : null;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** SHA-256 of a certificate, as people compare it: upper-case pairs. */
export function fingerprintOf(der: Uint8Array): string {
  return toHex(sha256(der))
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
}
