import type { Signer } from "../ports.ts";
import { ecdsaRawToDer } from "../asn1/der-reader.ts";
import { nullValue, oid, sequence } from "../asn1/der-writer.ts";
import { OID } from "../asn1/oids.ts";

/** Values are never parsed: a comma or an equals sign stays in its attribute. */
export type DistinguishedName = {
  readonly commonName: string;
  readonly givenName?: string;
  readonly surname?: string;
  readonly serialNumber?: string;
  readonly organization?: string;
  readonly organizationalUnit?: string;
  readonly country?: string;
};

export type IssuerAddresses = {
  readonly ocspUrl?: string;
  readonly caIssuersUrl?: string;
  readonly crlUrl?: string;
};

export type CertificateProfile = "root" | "ca" | "signer" | "tsa" | "ocsp" | "seal" | "tls";

/**
 * `subjectPublicKey`: DER; `serialNumber`: 8 to 20 random bytes (the top bit is cleared); times
 * lose their fractions. `hosts`: of `tls`, IP addresses as 4 or 16 bytes. `pathLength`: how many
 * authorities may stand below a `root`; any number if left out.
 */
export type CertificateRequest = {
  readonly profile: CertificateProfile;
  readonly subject: DistinguishedName;
  readonly email?: string;
  readonly hosts?: readonly (string | Uint8Array)[];
  readonly pathLength?: number;
  readonly subjectPublicKey: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly policyOid?: string;
  readonly addresses?: IssuerAddresses;
};

/** The issuer's key; `certificates[0]` is the issuing certificate. */
export type Issuer = Signer;

/** CRLReason, RFC 5280 §5.3.1. */
export type RevocationReason = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 8 | 9 | 10;

export type RevokedCertificate = {
  readonly serialNumber: Uint8Array;
  readonly revokedAt: Date;
  readonly reason?: RevocationReason;
};

export type CrlRequest = {
  readonly number: bigint;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly revoked: readonly RevokedCertificate[];
};

/** RFC 6960 §4.1.1 CertID; the answer echoes `der`. */
export type OcspCertId = {
  readonly hashAlgorithm: string;
  readonly issuerNameHash: Uint8Array;
  readonly issuerKeyHash: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly der: Uint8Array;
};
export type OcspRequest = {
  readonly certIds: readonly OcspCertId[];
  readonly nonce: Uint8Array | null;
};
export type OcspStatus =
  | { readonly status: "good" }
  | { readonly status: "revoked"; readonly revokedAt: Date; readonly reason?: RevocationReason }
  | { readonly status: "unknown" };
export type OcspAnswer = OcspStatus & {
  readonly certId: OcspCertId;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
};

export type Certificate = {
  readonly der: Uint8Array;
  readonly tbs: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly issuerDer: Uint8Array;
  readonly subjectDer: Uint8Array;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly subjectPublicKey: Uint8Array;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  readonly isCa: boolean;
  readonly pathLength: number | null;
  readonly keyUsage: ReadonlySet<string> | null;
  readonly extendedKeyUsage: readonly string[];
  readonly extendedKeyUsageCritical: boolean;
  readonly policyOids: readonly string[];
  readonly emails: readonly string[];
  readonly ocspUrls: readonly string[];
  readonly crlUrls: readonly string[];
  readonly ocspNoCheck: boolean;
  /** Null without the extension. Source: RFC 5280 §4.2.1.2. */
  readonly subjectKeyIdentifier: Uint8Array | null;
  /** Unprocessed critical extensions (OIDs) make it unusable (RFC 5280 §4.2). */
  readonly unprocessed: readonly string[];
};

export type AlgorithmIdentifier = { readonly oid: string; readonly parameters: Uint8Array | null };

/** `digestOid`: the SignerInfo's digest, which plain RSA does not name. */
export type SignedBytes = {
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
  readonly algorithm: AlgorithmIdentifier;
  readonly subjectPublicKey: Uint8Array;
  readonly digestOid?: string;
};

export type SignatureVerdict = "valid" | "invalid" | "unsupported";

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
