import type { PadesErrorCode } from "../pades-error.ts";
import type { DistinguishedName } from "../x509/types.ts";

export type Indication = "TOTAL_PASSED" | "INDETERMINATE" | "TOTAL_FAILED";

/** Why a signature is not passed. Source: ETSI EN 319 102-1 §5.1.3, table 6. */
export type SubIndication =
  | "FORMAT_FAILURE"
  | "HASH_FAILURE"
  | "SIG_CRYPTO_FAILURE"
  | "REVOKED"
  | "SIG_CONSTRAINTS_FAILURE"
  | "CHAIN_CONSTRAINTS_FAILURE"
  | "CERTIFICATE_CHAIN_GENERAL_FAILURE"
  | "CRYPTO_CONSTRAINTS_FAILURE"
  | "EXPIRED"
  | "NOT_YET_VALID"
  | "NO_SIGNING_CERTIFICATE_FOUND"
  | "NO_CERTIFICATE_CHAIN_FOUND"
  | "REVOKED_NO_POE"
  | "OUT_OF_BOUNDS_NO_POE"
  | "OUT_OF_BOUNDS_NOT_REVOKED"
  | "TIMESTAMP_ORDER_FAILURE"
  | "NO_POE"
  | "TRY_LATER"
  | "SIGNED_DATA_NOT_FOUND";

export type CheckName =
  | "byte_range"
  | "format"
  | "message_digest"
  | "signature_value"
  | "signing_certificate"
  | "chain"
  | "validity"
  | "revocation"
  | "timestamp"
  | "algorithms"
  | "modifications";
/**
 * Remarks that fail nothing. `issuer_serial_differs`: EN 319 102-1 §5.2.3.4, step 3: "if they do
 * not match, an additional warning shall be returned with the output". `signing_time_attribute`: EN
 * 319 142-1 §6.3, table 1 excludes it in favour of `/M`.
 */
export type SignatureWarning = "issuer_serial_differs" | "signing_time_attribute";
export type Check = {
  readonly name: CheckName;
  readonly passed: boolean | null;
  readonly detail: string;
};

/** The worst change. `unsigned_filling`: whoever filled fields did not sign them. */
export type LaterChanges =
  | "none"
  | "lta"
  | "signing"
  | "form_filling"
  | "unsigned_filling"
  | "other";
export type PadesLevel = "B-B" | "B-T" | "B-LT" | "B-LTA";

/**
 * An authority for times is not trusted for names. All DER.
 * Source: EN 319 102-1 §5.1.4.2 (X.509 validation constraints), §5.4 (time-stamps have their own).
 */
export type TrustAnchors = {
  readonly signers: readonly Uint8Array[];
  readonly timestamps: readonly Uint8Array[];
};

/** The core never fetches. All DER. */
export type Evidence = {
  readonly trustAnchors: TrustAnchors;
  readonly certificates?: readonly Uint8Array[];
  readonly crls?: readonly Uint8Array[];
  readonly ocsps?: readonly Uint8Array[];
};

export type ValidationPolicy = {
  /** `required` gives INDETERMINATE/TRY_LATER without data; `if_present` is the default. */
  readonly revocation?: "required" | "if_present";
};

/** `sha256`: of `der`, hexadecimal, as serial numbers repeat between authorities. */
export type CertificateFacts = {
  readonly der: Uint8Array;
  readonly sha256: string;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  readonly emails: readonly string[];
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly policyOids: readonly string[];
};
export type RevocationFacts = {
  readonly source: "ocsp" | "crl";
  readonly status: "good" | "revoked" | "unknown";
  readonly producedAt: Date;
  readonly revokedAt: Date | null;
};
export type TimestampReport = {
  readonly time: Date;
  readonly authorityName: string;
  readonly policyOid: string;
  readonly trusted: boolean;
};

export type FileProblem =
  | "trailing_bytes"
  | "unlisted_signature"
  | "broken_xref"
  | "encrypted"
  | PadesErrorCode;

export type SignatureReport = {
  readonly fieldName: string;
  readonly kind: "signature" | "document_timestamp";
  readonly subFilter: string;
  readonly indication: Indication;
  readonly subIndication: SubIndication | null;
  readonly checks: readonly Check[];
  readonly warnings: readonly SignatureWarning[];
  readonly coverage: "whole_file" | "whole_revision" | "partial";
  readonly laterChanges: LaterChanges;
  readonly level: PadesLevel | null;
  readonly signerName: string | null;
  /** The signer claims `/M`; only the time-stamp proves. */
  readonly claimedTime: Date | null;
  readonly certificate: CertificateFacts | null;
  /** Up to the anchor; empty without a path. */
  readonly issuerNames: readonly string[];
  readonly hashAlgorithm: string | null;
  readonly timestamp: TimestampReport | null;
  readonly revocation: RevocationFacts | null;
  /** As this signature saw the file, in bytes. */
  readonly revisionLength: number;
};

export type ValidationReport = {
  readonly indication: Indication;
  readonly signatures: readonly SignatureReport[];
  readonly problems: readonly FileProblem[];
  readonly pageCount: number | null;
};

/**
 * New fields (`added`) and existing ones (`filled`) that changed after a signature.
 * Units: parts of the page; overlaps count twice.
 */
export type PageCover = { readonly added: number; readonly filled: number };

export type CoveredPage = PageCover & { readonly pageNumber: number };

/** `half`: new places exceed half the page; `most`: new and existing ones exceed seven tenths. */
export type CoverExcess = "half" | "most";

const MOST_ADDED = 0.5;
/** Forms have their words between the fields. */
const MOST_SHOWN = 0.7;

/**
 * Later places stand between the reader and what was signed. Further signers need at most half;
 * places that the signer saw may come to more. `margin`: a planner's reserve for rounding.
 */
export function coverExcess({ added, filled }: PageCover, margin = 0): CoverExcess | null {
  if (added > MOST_ADDED - margin) return "half";
  return added + filled > MOST_SHOWN - margin ? "most" : null;
}
