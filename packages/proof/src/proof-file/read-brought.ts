import { sha256 } from "@noble/hashes/sha2.js";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import { fromBase64, toHex } from "@paraphe/kernel/bytes";
import { type SignatureReport, validate, type ValidationReport } from "@paraphe/pades";
import type { BroughtFile, CheckContext } from "./types.ts";

/**
 * Gives the signature of a file that a proof names: by the certificate itself, whatever its number.
 * The organisation's own may have signed for several people: each in
 * a field of his own.
 */
export function findIn(
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

/**
 * A file that was brought. `listed`: what the proof names it as, none for a file that it does not
 * name; `report`: what its validation says as of the check;
 * `reportThen`: as of the proof, for a certificate may have ended since.
 */
export type ReadFile = BroughtFile & {
  readonly hash: string;
  readonly listed: readonly ProofContent["files"][number][];
  report(): Promise<ValidationReport>;
  reportThen(): Promise<ValidationReport>;
};

/** Hashes the files that were brought; each is validated once for a moment, when somebody asks. */
export function readBrought(
  { content, evidence, now, madeAt, provenAt }: CheckContext,
  brought: readonly BroughtFile[],
): readonly ReadFile[] {
  return brought.map((file) => {
    const hash = toHex(sha256(file.bytes));
    return {
      ...file,
      hash,
      listed: content.files.filter((one) => one.sha256 === hash),
      report: once(() => validate(file.bytes, { evidence, now })),
      // The time-stamp over the proof, which names this very file, proves that it was there (EN 319
      // 102-1 §5.6.2.2).
      reportThen: once(() => validate(file.bytes, { evidence, now: provenAt ?? madeAt })),
    };
  });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
