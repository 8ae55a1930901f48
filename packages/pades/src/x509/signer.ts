import { ecdsaRawToDer } from "../asn1/der-reader.ts";
import { nullValue, oid, sequence } from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";
import type { Signer } from "../ports.ts";

/**
 * The AlgorithmIdentifier of a signer.
 * Source: RFC 5758 §3.2 (ECDSA: parameters absent), RFC 4055 §5 (RSA: NULL).
 */
export function signatureAlgorithmOf(algorithm: Signer["algorithm"]): Uint8Array {
  if (algorithm === "ecdsa-p256-sha256") return sequence(oid(OID.ecdsaWithSha256));
  if (algorithm === "ecdsa-p384-sha384") return sequence(oid(OID.ecdsaWithSha384));
  return sequence(oid(OID.sha256WithRsa), nullValue());
}

/**
 * A Signer from a WebCrypto private key (ECDSA P-256, ECDSA P-384 or RSASSA-PKCS1-v1_5 with
 * SHA-256).
 * Shape: `certificates`: DER, the signer's first, then its issuers without the root.
 */
export function webCryptoSigner(
  privateKey: CryptoKey,
  certificates: readonly Uint8Array[],
): Signer {
  const curve = (privateKey.algorithm as EcKeyAlgorithm).namedCurve;
  if (privateKey.algorithm.name !== "ECDSA") {
    return {
      certificates,
      algorithm: "rsa-pkcs1-sha256",
      sign: async (data) =>
        new Uint8Array(
          await crypto.subtle.sign("RSASSA-PKCS1-v1_5", privateKey, data as BufferSource),
        ),
    };
  }
  const hash = curve === "P-384" ? "SHA-384" : "SHA-256";
  return {
    certificates,
    algorithm: curve === "P-384" ? "ecdsa-p384-sha384" : "ecdsa-p256-sha256",
    sign: async (data) =>
      ecdsaRawToDer(
        new Uint8Array(
          await crypto.subtle.sign({ name: "ECDSA", hash }, privateKey, data as BufferSource),
        ),
      ),
  };
}
