import { sha256 } from "@noble/hashes/sha2.js";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import { type SignatureReport, validate, type ValidationReport } from "@paraphe/pades";
import type { GivenFile, CheckContext } from "./types.ts";

/** By the whole certificate and the field: the organisation's may sign several times. */
export function findSignature(
  report: ValidationReport,
  { field, certificate, certificate_sha256 }: ProofContent["signatures"][number],
): SignatureReport | undefined {
  const stated = certificate === null ? certificate_sha256 : toHex(sha256(fromBase64(certificate)));
  if (certificate_sha256 !== undefined && certificate_sha256 !== stated) return undefined;
  return report.signatures.find(
    (signature) =>
      signature.kind === "signature" &&
      signature.fieldName === field &&
      signature.certificate?.sha256 === stated,
  );
}

/** `listed`: the proof's entries; `report`: now; `reportThen`: at the time of the proof. */
export type ReadFile = GivenFile & {
  readonly hash: string;
  readonly listed: readonly ProofContent["files"][number][];
  report(): Promise<ValidationReport>;
  reportThen(): Promise<ValidationReport>;
};

/** Validates lazily, once per moment. */
export function readGivenFiles(
  { content, evidence, now, madeAt, provenAt }: CheckContext,
  given: readonly GivenFile[],
): readonly ReadFile[] {
  return given.map((file) => {
    const hash = toHex(sha256(file.bytes));
    return {
      ...file,
      hash,
      listed: content.files.filter((one) => one.sha256 === hash),
      report: once(() => validate(file.bytes, { evidence, now })),
      // EN 319 102-1 §5.6.2.2: the proof's time-stamp, which names this file, proves its existence.
      reportThen: once(() => validate(file.bytes, { evidence, now: provenAt ?? madeAt })),
    };
  });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
