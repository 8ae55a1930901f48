import type { Checkpoint, LogAuthorities } from "@paraphe/contracts";
import { fromBase64 } from "@paraphe/kernel/bytes";
import type { CertificateReport, Evidence } from "@paraphe/pades";
import { isSealCertificate } from "../proof-file/check-seal.ts";
import {
  isRevocationUnknown,
  isRevoked,
  validateAuthority,
  validateSeal,
  type CheckpointFacts,
  type CheckpointFault,
  verifyCheckpoint,
} from "./verify-checkpoint.ts";

/**
 * `seal`, `authority`: no valid path to an anchor; `revoked`: before the time-stamp. `revocation`:
 * whether it is known; `authority`: path (DER), the anchor last.
 */
export type TrustedCheckpointVerdict =
  | {
      readonly ok: true;
      readonly facts: CheckpointFacts;
      readonly revocation: "checked" | "unknown";
      readonly authority: readonly Uint8Array[];
    }
  | { readonly ok: false; readonly fault: CheckpointFault | "seal" | "authority" | "revoked" };

type CheckpointTrust = { readonly evidence: Evidence; readonly now: Date };

/**
 * Verifies a checkpoint and its paths to the reader's anchors.
 * Source: RFC 5280 §6.1, EN 319 102-1 §5.6.2.2, §5.6.2.4 (a later revocation does not affect it).
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

function isGood(report: CertificateReport): boolean {
  return report.indication === "TOTAL_PASSED" || isRevocationUnknown(report);
}

/** `roots`: the reader's own (DER), instead of the published ones. */
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
