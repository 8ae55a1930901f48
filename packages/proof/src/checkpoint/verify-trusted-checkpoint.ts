import type { Checkpoint, LogAuthorities } from "@paraphe/contracts";
import { fromBase64 } from "@paraphe/kernel/bytes";
import type { CertificateReport, Evidence } from "@paraphe/pades";
import { isSealCertificate } from "../proof-file/check-seal.ts";
import {
  isRevocationUnknown,
  isRevoked,
  validateAuthority,
  validateSeal,
} from "./validate-authorities.ts";
import {
  type CheckpointFacts,
  type CheckpointFault,
  verifyCheckpoint,
} from "./verify-checkpoint.ts";

/**
 * `seal`: it holds by itself, and a seal that leads to no root known here, or did not then, made
 * it; `authority`: the same of its time-stamp; `revoked`: one of them was
 * revoked by the time of the time-stamp. `revocation`: whether what is at hand says that neither
 * was, or says nothing of it; `authority`: the path (DER) of
 * the one that stamped it, the anchor last.
 */
export type TrustedCheckpointVerdict =
  | {
      readonly ok: true;
      readonly facts: CheckpointFacts;
      readonly revocation: "checked" | "unknown";
      readonly authority: readonly Uint8Array[];
    }
  | { readonly ok: false; readonly fault: CheckpointFault | "seal" | "authority" | "revoked" };

/** Whom the reader trusts, and the moment of the check. */
type CheckpointTrust = { readonly evidence: Evidence; readonly now: Date };

/**
 * Checks a checkpoint by itself, and that its seal and its time-stamping authority lead to anchors
 * that the reader trusts: anybody can sign a log of the same name.
 * Source: RFC 5280 §6.1, EN 319 102-1 §5.6.2.2, §5.6.2.4 (a revocation after the proven time does
 * not touch it).
 */
export async function verifyTrustedCheckpoint(
  checkpoint: Checkpoint,
  trust: CheckpointTrust,
): Promise<TrustedCheckpointVerdict> {
  const verdict = await verifyCheckpoint(checkpoint);
  if (!verdict.ok) return verdict;
  try {
    const found = await validateSigners(verdict.facts, trust);
    return typeof found === "string" ? { ok: false, fault: found } : { ...verdict, ...found };
  } catch {
    // A certificate that somebody brings may be any bytes: what cannot be read leads nowhere.
    return { ok: false, fault: "seal" };
  }
}

async function validateSigners(
  { seal, certificates, timestamp }: CheckpointFacts,
  { evidence, now }: CheckpointTrust,
) {
  const known = {
    ...evidence,
    certificates: [...(evidence.certificates ?? []), ...certificates, ...timestamp.certificates],
  };
  const moment = { evidence: known, now, provenAt: timestamp.time };
  const [sealed, stamped] = [
    await validateSeal(seal.der, moment),
    await validateAuthority(timestamp.certificateDer, moment),
  ];
  if (!isSealCertificate(seal) || sealed.chain === null) return "seal";
  if (stamped.chain === null) return "authority";
  if (isRevoked(sealed) || isRevoked(stamped)) return "revoked";
  if (!isGood(sealed)) return "seal";
  if (!isGood(stamped)) return "authority";
  return {
    revocation: [sealed, stamped].some(isRevocationUnknown) ? "unknown" : "checked",
    authority: stamped.chain,
  } as const;
}

/**
 * Nothing is wrong with it, but that it may not be known whether it was revoked: not one that had
 * ended, or had not begun.
 */
function isGood(report: CertificateReport): boolean {
  return report.indication === "TOTAL_PASSED" || isRevocationUnknown(report);
}

/**
 * Gives what the service publishes of the authorities of its log, as evidence. `roots`: the
 * reader's own (DER), in the place of the published ones.
 */
export function logEvidence(
  { roots, timestamps, certificates, crls = [] }: LogAuthorities,
  own: readonly Uint8Array[] = [],
): Evidence {
  const anchors = own.length > 0 ? own : roots.map(fromBase64);
  return {
    trustAnchors: { signers: anchors, timestamps: [...anchors, ...timestamps.map(fromBase64)] },
    certificates: certificates.map(fromBase64),
    crls: crls.map(fromBase64),
  };
}
