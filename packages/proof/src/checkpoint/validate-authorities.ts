import { type CertificateReport, type Evidence, validateCertificate } from "@paraphe/pades/parts";

/** `provenAt`: proof of existence of what it signed; null without one. */
type Moment = { readonly evidence: Evidence; readonly now: Date; readonly provenAt: Date | null };

/**
 * INDETERMINATE without revocation data of its time on the whole path: the thief of a key would
 * leave it out.
 * Source: EN 319 102-1 §5.2.5 (freshness), §5.2.6.4.
 */
export function validateSeal(der: Uint8Array, moment: Moment): Promise<CertificateReport> {
  return validateCertificate(der, { ...moment, trustedFor: "signers", policy: REQUIRED });
}

/** The service's own like a seal; an outside one, trusted for times, needs no revocation data. */
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

/** Revoked by then. Source: EN 319 102-1 §5.1.3, table 6. */
export function isRevoked({ subIndication }: CertificateReport): boolean {
  return subIndication !== null && REVOKED.has(subIndication);
}

const REVOKED: ReadonlySet<string> = new Set([
  "REVOKED",
  "REVOKED_NO_POE",
  "CERTIFICATE_CHAIN_GENERAL_FAILURE",
]);

/** Valid but for missing or old revocation data. */
export function isRevocationUnknown({ chain, subIndication }: CertificateReport): boolean {
  return chain !== null && subIndication === "TRY_LATER";
}
