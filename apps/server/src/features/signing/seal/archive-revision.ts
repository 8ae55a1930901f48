import { completeSignature, type LongTermNeeds, parseCertificate, verifyTimestampToken } from "@paraphe/pades/parts";
import type { KeptRevocation } from "../../trust/public.ts";
import { assertArchived, assertPrefix } from "./check-revision.ts";
import type { SealingDeps } from "./deps.ts";
import { renewalTime } from "./domain/renewal-time.ts";

/** A revision at level B-LTA, validated, stored nowhere yet. */
export type ArchivedBytes = {
  readonly bytes: Uint8Array;
  /** Serial number of the time-stamping authority's certificate. */
  readonly authoritySerial: string;
  readonly stampedAt: Date;
  /** When the last document time-stamp can no longer prove itself. */
  readonly validUntil: Date;
  readonly renewAt: Date;
};
/** The same, stored and fsynced, not yet referred to by a row. */
export type ArchivedRevision = Omit<ArchivedBytes, "bytes"> & { readonly sha256: Uint8Array; readonly sizeBytes: number };

/** Our signatures in a file: each must be proven by it. Serial numbers are lower-case hexadecimal. `needs`: known already, of a file of the same chains. */
export type KeptProof = KeptRevocation & { readonly serialNumbers: readonly string[]; readonly needs?: LongTermNeeds };

/** Lists what a file needs to prove itself for the long term. */
export async function needsOf({ platform, trust }: SealingDeps, bytes: Uint8Array): Promise<LongTermNeeds> {
  const { trustAnchors, certificates = [] } = await trust.evidence();
  return platform.sandbox.call("longTermNeeds", bytes, { trustAnchors, certificates });
}

/** Makes the revision that proves itself for the long term, as `archiveBytes` does, and stores it. */
export async function archiveRevision(deps: SealingDeps, before: Uint8Array, kept: KeptProof): Promise<ArchivedRevision> {
  const { bytes, ...archive } = await archiveBytes(deps, before, kept);
  return { ...archive, sha256: await deps.platform.files.put(bytes), sizeBytes: bytes.length };
}

/**
 * Makes the revision that proves itself for the long term: certificates, OCSP answers and lists of every chain, and a document time-stamp over them all.
 * The same again renews it. It is validated on its own evidence, whole.
 * Errors: `TimestampUnavailableError`; `UnsoundSignatureError`.
 * Source: EN 319 142-1 §5.4, §6.2 (B-LTA).
 */
export async function archiveBytes(deps: SealingDeps, before: Uint8Array, kept: KeptProof): Promise<ArchivedBytes> {
  const { platform, trust } = deps;
  const longTermData = await trust.gatherLongTerm(kept.needs ?? (await needsOf(deps, before)), kept);
  const prepared = await platform.sandbox.call("prepareDocumentTimestamp", before, {
    longTermData,
    reserveBytes: trust.timestampReserveBytes,
  });
  const token = await trust.timestamp.timestamp(prepared.digestSha256);
  const stamp = await verifyTimestampToken(token, { imprint: prepared.digestSha256 });
  const after = completeSignature(prepared, token);
  assertPrefix(before, after);
  const report = await platform.sandbox.call("validate", after, {
    evidence: { trustAnchors: (await trust.evidence()).trustAnchors },
    // The time-stamp of an outside authority may be a moment ahead of this machine's clock.
    now: new Date(platform.clock().getTime() + 1_000),
    policy: { revocation: "required" },
  });
  assertArchived(report, kept.serialNumbers);
  const chain = [stamp.certificateDer, ...stamp.certificates].map(parseCertificate);
  const validUntil = new Date(Math.min(...chain.map(({ notAfter }) => notAfter.getTime())));
  return {
    bytes: after,
    authoritySerial: Buffer.from(parseCertificate(stamp.certificateDer).serialNumber).toString("hex"),
    stampedAt: stamp.time,
    validUntil,
    renewAt: renewalTime(stamp.time, validUntil),
  };
}
