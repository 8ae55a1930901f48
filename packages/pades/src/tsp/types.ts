import type { Signer } from "../ports.ts";

/** A time-stamp request as read (RFC 3161 §2.4.1). */
export type TimestampRequest = {
  readonly hashAlgorithm: "SHA-256" | "SHA-384" | "SHA-512";
  readonly imprint: Uint8Array;
  readonly policyOid: string | null;
  /** DER INTEGER content bytes, echoed as they came. */
  readonly nonce: Uint8Array | null;
  readonly certificateRequested: boolean;
};

export type TimestampTokenOptions = {
  readonly signer: Signer;
  readonly policyOid: string;
  readonly serialNumber: Uint8Array;
  readonly now: Date;
  /** Seconds; 1 when absent. */
  readonly accuracyS?: number;
  /** What the token carries: the authority's certificate alone, or its chain, without which some validators find no path. The chain when absent. */
  readonly includeChain?: "certificate" | "chain";
};

/** A checked time-stamp. */
export type TimestampFacts = {
  readonly time: Date;
  readonly policyOid: string;
  readonly serialNumber: Uint8Array;
  readonly hashAlgorithm: string;
  readonly imprint: Uint8Array;
  readonly nonce: Uint8Array | null;
  readonly authorityName: string;
  readonly certificateDer: Uint8Array;
  /** Every certificate the token carries (DER), in no order. */
  readonly certificates: readonly Uint8Array[];
};
