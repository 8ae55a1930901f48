import type { Checkpoint, LogAuthorities } from "@paraphe/contracts";
import { type CertificateReport, type Evidence, validateCertificate } from "@paraphe/pades";
import { fromBase64 } from "../proof-file/bytes.ts";
import { isSealCertificate } from "../proof-file/check-seal.ts";
import { type CheckpointFacts, type CheckpointFault, verifyCheckpoint } from "./verify-checkpoint.ts";

/**
 * `seal`: it holds by itself, and a seal that leads to no root known here made it; `authority`: the same of its time-stamp; `revoked`: one of them was revoked by the
 * time of the time-stamp. `revocation`: whether what is at hand says that the seal was not, or says nothing of it.
 */
export type TrustedCheckpointVerdict =
  | { readonly ok: true; readonly facts: CheckpointFacts; readonly revocation: "checked" | "unknown" }
  | { readonly ok: false; readonly fault: CheckpointFault | "seal" | "authority" | "revoked" };

/** Whom the reader trusts, and the moment of the check. */
type CheckpointTrust = { readonly evidence: Evidence; readonly now: Date };

/**
 * Checks a checkpoint by itself, and that its seal and its time-stamping authority lead to anchors that the reader trusts: anybody can sign a log of the same name.
 * Source: RFC 5280 §6.1, EN 319 102-1 §5.6.2.2, §5.6.2.4 (a revocation after the proven time does not touch it).
 */
export async function verifyTrustedCheckpoint(checkpoint: Checkpoint, trust: CheckpointTrust): Promise<TrustedCheckpointVerdict> {
  const verdict = await verifyCheckpoint(checkpoint);
  if (!verdict.ok) return verdict;
  try {
    const found = await judgeSigners(verdict.facts, trust);
    return typeof found === "string" ? { ok: false, fault: found } : { ...verdict, ...found };
  } catch {
    // A certificate that somebody brings may be any bytes: what cannot be read leads nowhere.
    return { ok: false, fault: "seal" };
  }
}

async function judgeSigners({ seal, certificates, timestamp }: CheckpointFacts, { evidence, now }: CheckpointTrust) {
  const known = { ...evidence, certificates: [...(evidence.certificates ?? []), ...certificates, ...timestamp.certificates] };
  const judge = (der: Uint8Array, trustedFor: "signers" | "timestamps", revocation: "required" | "if_present") =>
    validateCertificate(der, { evidence: known, trustedFor, now, provenAt: timestamp.time, policy: { revocation } });
  const isLive = seal.notBefore <= timestamp.time && timestamp.time <= seal.notAfter;
  const sealed = await judge(seal.der, "signers", "required");
  if (!isSealCertificate(seal) || !isLive || sealed.chain === null) return "seal";
  // Whoever is not of the service publishes lists elsewhere: what is not known of them speaks against nobody.
  const stamped = await judge(timestamp.certificateDer, "timestamps", "if_present");
  if (stamped.chain === null) return "authority";
  if (isRevoked(sealed) || isRevoked(stamped)) return "revoked";
  return { revocation: sealed.subIndication === "TRY_LATER" ? "unknown" : "checked" } as const;
}

/** Itself, or one of those above it. Source: EN 319 102-1 §5.1.3, table 6. */
function isRevoked({ subIndication }: CertificateReport): boolean {
  return subIndication === "REVOKED" || subIndication === "CERTIFICATE_CHAIN_GENERAL_FAILURE";
}

/** Gives what the service publishes of the authorities of its log, as evidence. `roots`: the reader's own (DER), in the place of the published ones. */
export function logEvidence({ roots, timestamps, certificates, crls = [] }: LogAuthorities, own: readonly Uint8Array[] = []): Evidence {
  const anchors = own.length > 0 ? own : roots.map(fromBase64);
  return {
    trustAnchors: { signers: anchors, timestamps: [...anchors, ...timestamps.map(fromBase64)] },
    certificates: certificates.map(fromBase64),
    crls: crls.map(fromBase64),
  };
}
