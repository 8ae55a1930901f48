import { type Certificate, parseCertificate } from "@paraphe/pades/parts";
import { readJwsHeader } from "../jws-header.ts";
import { fromBase64, fromBase64Url } from "./bytes.ts";
import { keyThumbprint } from "./seal-keys.ts";

/** A JWS whose signature holds. `keyId`: RFC 7638 thumbprint of the key; `certificates` (DER): whose it is, then its issuers. */
export type VerifiedJws = {
  readonly payload: string;
  readonly keyId: string;
  readonly seal: Certificate;
  readonly certificates: readonly Uint8Array[];
};

/**
 * Verifies a compact JWS by the first certificate of its header, whose key it must name; null for any that does not hold, in whatever way.
 * Source: RFC 7515 §3.1, §4.1.4, §4.1.6, §5.2; RFC 7518 §3.4.
 */
export async function verifyJws(jws: string): Promise<VerifiedJws | null> {
  try {
    const [header = "", payload = "", value = "", ...more] = jws.split(".");
    const [read, said, signature] = [header, payload, value].map(fromBase64Url);
    if (!read || !said || !signature || more.length > 0) return null;
    const stated = readJwsHeader(textOf(read));
    if (stated === null) return null;
    const certificates = stated.x5c.map((text) => fromBase64(String(text)));
    const seal = parseCertificate(certificates[0] ?? new Uint8Array());
    const keyId = keyThumbprint(seal.subjectPublicKey);
    if (keyId === null || stated.kid !== keyId) return null;
    const key = await crypto.subtle.importKey(
      "spki",
      new Uint8Array(seal.subjectPublicKey),
      { name: "ECDSA", namedCurve: "P-256" },
      false,
      ["verify"],
    );
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    const holds = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, signature, signed);
    return holds ? { payload: textOf(said), keyId, seal, certificates } : null;
  } catch {
    // Whatever cannot be read was signed by nobody.
    return null;
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
