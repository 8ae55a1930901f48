import { sha256 } from "@noble/hashes/sha2.js";
import { fromBase64Url, toBase64 } from "./bytes.ts";

/** A P-256 SubjectPublicKeyInfo: its head, then the point, not compressed. Source: RFC 5480 §2. */
const SPKI_BYTES = 91;
const COORDINATE_BYTES = 32;

/** Gives the RFC 7638 thumbprint of a P-256 key (DER SubjectPublicKeyInfo); null for any other. */
export function keyThumbprint(subjectPublicKey: Uint8Array): string | null {
  const point = subjectPublicKey.subarray(SPKI_BYTES - 2 * COORDINATE_BYTES - 1);
  if (subjectPublicKey.length !== SPKI_BYTES || point[0] !== 0x04) return null;
  return thumbprintOf(toBase64Url(point.subarray(1, 1 + COORDINATE_BYTES)), toBase64Url(point.subarray(1 + COORDINATE_BYTES)));
}

/**
 * Gives the thumbprints of the P-256 keys of a JWK set, none for what is no such set. What a key calls itself (`kid`) is not believed.
 * Source: RFC 7517 §5, RFC 7518 §6.2.1, RFC 7638 §3.
 */
export function readSealKeys(bytes: Uint8Array): readonly string[] {
  const { keys } = parsed(bytes);
  return Array.isArray(keys) ? keys.flatMap((key: unknown) => thumbprintOfJwk(key)) : [];
}

function parsed(bytes: Uint8Array): { readonly keys?: unknown } {
  try {
    return Object(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))) as { readonly keys?: unknown };
  } catch {
    // A file that somebody brings may be anything.
    return {};
  }
}

function thumbprintOfJwk(key: unknown): readonly string[] {
  const { kty, crv, x, y } = Object(key) as Readonly<Record<"kty" | "crv" | "x" | "y", unknown>>;
  return kty === "EC" && crv === "P-256" && isCoordinate(x) && isCoordinate(y) ? [thumbprintOf(x, y)] : [];
}

function isCoordinate(value: unknown): value is string {
  return typeof value === "string" && fromBase64Url(value)?.length === COORDINATE_BYTES;
}

/** The members that a thumbprint is made of, in their order, without white space. */
function thumbprintOf(x: string, y: string): string {
  return toBase64Url(sha256(new TextEncoder().encode(JSON.stringify({ crv: "P-256", kty: "EC", x, y }))));
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
