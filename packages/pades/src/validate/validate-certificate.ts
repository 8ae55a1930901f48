import { parseCertificate } from "../x509/parse-certificate.ts";
import { certificatePool } from "./build-chain.ts";
import { judgeChain } from "./judge-chain.ts";
import { revocationPool } from "./revocation.ts";
import type {
  Evidence,
  Indication,
  SubIndication,
  TrustAnchors,
  ValidationPolicy,
} from "./types.ts";

/** `chain`: DER, the certificate first, the root last; null without a path to a trusted one. */
export type CertificateReport = {
  readonly indication: Indication;
  readonly subIndication: SubIndication | null;
  readonly chain: readonly Uint8Array[] | null;
};

type Context = {
  readonly evidence: Evidence;
  /** The anchors that may end its path. */
  readonly trustedFor: keyof TrustAnchors;
  readonly now: Date;
  /** A proven time of what it signed, or null. */
  readonly provenAt: Date | null;
  readonly policy?: ValidationPolicy;
};

/**
 * Validates the certificate of a signature outside any PDF.
 * Shape: nothing is fetched; a certificate (DER) that was good at the proven time may have expired.
 * Errors: PadesError `asn1_malformed`.
 * Source: EN 319 102-1 §5.2.6, §5.6.2.2.
 */
export async function validateCertificate(
  der: Uint8Array,
  context: Context,
): Promise<CertificateReport> {
  const { evidence, trustedFor, now, provenAt, policy = {} } = context;
  const { chain, failure } = await judgeChain(parseCertificate(der), {
    pool: certificatePool(evidence.trustAnchors[trustedFor], evidence.certificates ?? []),
    revocations: revocationPool(evidence.crls ?? [], evidence.ocsps ?? []),
    policy,
    provenAt,
    now,
  });
  return {
    indication: failure?.indication ?? "TOTAL_PASSED",
    subIndication: failure?.sub ?? null,
    chain: chain?.map((certificate) => certificate.der) ?? null,
  };
}
