import type { Signer } from "@paraphe/pades";
import { keyIdOf } from "./json-web-key.ts";

const ALGORITHMS = {
  "ecdsa-p256-sha256": { alg: "ES256", bytes: 32 },
  "ecdsa-p384-sha384": { alg: "ES384", bytes: 48 },
  "rsa-pkcs1-sha256": { alg: "RS256", bytes: 0 },
} as const;

/**
 * Gives a compact JWS over this payload by this signer, its certificates in `x5c`, its key named by its thumbprint.
 * Errors: TypeError for a signer without a certificate.
 * Source: RFC 7515 §3.1, §4.1.4, §4.1.6; RFC 7638; RFC 7518 §3.4 (ECDSA values are r‖s, not DER).
 */
export async function signJws(signer: Signer, payload: Uint8Array): Promise<string> {
  const { alg, bytes } = ALGORITHMS[signer.algorithm];
  const [certificate] = signer.certificates;
  if (certificate === undefined) throw new TypeError("Expected a signer with a certificate");
  const header = {
    alg,
    kid: keyIdOf(certificate),
    typ: "JOSE",
    x5c: signer.certificates.map((der) => Buffer.from(der).toString("base64")),
  };
  const signed = `${base64Url(new TextEncoder().encode(JSON.stringify(header)))}.${base64Url(payload)}`;
  const value = await signer.sign(new TextEncoder().encode(signed));
  return `${signed}.${base64Url(bytes === 0 ? value : derToConcatenated(value, bytes))}`;
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** Turns `SEQUENCE { r INTEGER, s INTEGER }` into r‖s, each left-padded. A P-256 or P-384 value is short enough for one-byte lengths. */
function derToConcatenated(der: Uint8Array, size: number): Uint8Array {
  const joined = new Uint8Array(size * 2);
  let offset = 2;
  for (const place of [size, size * 2]) {
    const length = der[offset + 1] ?? 0;
    const magnitude = der.subarray(offset + 2, offset + 2 + length);
    const trimmed = magnitude.length > size ? magnitude.subarray(magnitude.length - size) : magnitude;
    joined.set(trimmed, place - trimmed.length);
    offset += 2 + length;
  }
  return joined;
}
