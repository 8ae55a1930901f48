import type { Checkpoint, LogAuthorities } from "@paraphe/contracts";
import { type CertificateReport, type Evidence, validateCertificate } from "@paraphe/pades";
import { fromBase64 } from "../proof-file/bytes.ts";
import { isSealCertificate } from "../proof-file/check-seal.ts";
import { type CheckpointFacts, type CheckpointFault, verifyCheckpoint } from "./verify-checkpoint.ts";

/** `seal`: it holds by itself, and a seal that leads to no root known here made it; `authority`: the same of its time-stamp. */
export type TrustedCheckpointVerdict =
  | { readonly ok: true; readonly facts: CheckpointFacts }
  | { readonly ok: false; readonly fault: CheckpointFault | "seal" | "authority" };

/** Whom the reader trusts, and the moment of the check. */
type CheckpointTrust = { readonly evidence: Evidence; readonly now: Date };

/**
 * Checks a checkpoint by itself, and that its seal and its time-stamping authority lead to anchors that the reader trusts: anybody can sign a log of the same name.
 * Source: RFC 5280 §6.1, EN 319 102-1 §5.6.2.2.
 */
export async function verifyTrustedCheckpoint(checkpoint: Checkpoint, trust: CheckpointTrust): Promise<TrustedCheckpointVerdict> {
  const verdict = await verifyCheckpoint(checkpoint);
  if (!verdict.ok) return verdict;
  try {
    const fault = await strangerIn(verdict.facts, trust);
    return fault === null ? verdict : { ok: false, fault };
  } catch {
    // A certificate that somebody brings may be any bytes: what cannot be read leads nowhere.
    return { ok: false, fault: "seal" };
  }
}

async function strangerIn({ seal, certificates, timestamp }: CheckpointFacts, { evidence, now }: CheckpointTrust) {
  const known = { ...evidence, certificates: [...(evidence.certificates ?? []), ...certificates, ...timestamp.certificates] };
  const judge = (der: Uint8Array, trustedFor: "signers" | "timestamps") =>
    validateCertificate(der, { evidence: known, trustedFor, now, provenAt: timestamp.time });
  const isLive = seal.notBefore <= timestamp.time && timestamp.time <= seal.notAfter;
  if (!isSealCertificate(seal) || !isLive || !leads(await judge(seal.der, "signers"))) return "seal";
  return leads(await judge(timestamp.certificateDer, "timestamps")) ? null : "authority";
}

/** What is not known of a certificate (no revocation list is at hand) speaks against nobody. */
function leads({ chain, indication }: CertificateReport): boolean {
  return chain !== null && indication !== "TOTAL_FAILED";
}

/** Gives what the service publishes of the authorities of its log, as evidence. `roots`: the reader's own (DER), in the place of the published ones. */
export function logEvidence({ roots, timestamps, certificates }: LogAuthorities, own: readonly Uint8Array[] = []): Evidence {
  const anchors = own.length > 0 ? own : roots.map(fromBase64);
  return {
    trustAnchors: { signers: anchors, timestamps: [...anchors, ...timestamps.map(fromBase64)] },
    certificates: certificates.map(fromBase64),
  };
}
