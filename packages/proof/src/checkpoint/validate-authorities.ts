import { type CertificateReport, type Evidence, validateCertificate } from "@paraphe/pades/parts";

/** `provenAt`: when what it signed is proven to have been there; null without a proof. */
type Moment = { readonly evidence: Evidence; readonly now: Date; readonly provenAt: Date | null };

/**
 * Judges the service's seal. A key that leaked is revoked, and whoever has it leaves the revocation
 * out: without data of that moment on it and on all above it, nothing
 * is known of it (INDETERMINATE/TRY_LATER).
 * Source: EN 319 102-1 §5.2.5 (freshness), §5.2.6.4.
 */
export function validateSeal(der: Uint8Array, moment: Moment): Promise<CertificateReport> {
  return validateCertificate(der, { ...moment, trustedFor: "signers", policy: REQUIRED });
}

/**
 * Judges a time-stamping authority. The service's own, under an anchor of its seals, as those are;
 * one of outside publishes its lists elsewhere, and was named for its
 * times by whom the reader trusts: what is not known of it speaks against nobody.
 */
export async function validateAuthority(
  der: Uint8Array,
  moment: Moment,
): Promise<CertificateReport> {
  const own = await validateCertificate(der, {
    ...moment,
    trustedFor: "timestamps",
    policy: REQUIRED,
    evidence: ownTimes(moment.evidence),
  });
  return own.chain === null
    ? validateCertificate(der, { ...moment, trustedFor: "timestamps" })
    : own;
}

const REQUIRED = { revocation: "required" } as const;

function ownTimes(evidence: Evidence): Evidence {
  const { signers } = evidence.trustAnchors;
  return { ...evidence, trustAnchors: { signers, timestamps: signers } };
}

/** It, or one of those above it, was revoked by then. Source: EN 319 102-1 §5.1.3, table 6. */
export function isRevoked({ subIndication }: CertificateReport): boolean {
  return subIndication !== null && REVOKED.has(subIndication);
}

const REVOKED: ReadonlySet<string> = new Set([
  "REVOKED",
  "REVOKED_NO_POE",
  "CERTIFICATE_CHAIN_GENERAL_FAILURE",
]);

/** Nothing at hand, or nothing recent enough, says whether it was revoked; all else is right. */
export function isRevocationUnknown({ chain, subIndication }: CertificateReport): boolean {
  return chain !== null && subIndication === "TRY_LATER";
}
