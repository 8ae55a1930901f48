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
