import { sha256 } from "@noble/hashes/sha2.js";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import type { SignatureReport, ValidationReport } from "@paraphe/pades";
import { fromBase64, toHex } from "./bytes.ts";

/**
 * Gives the signature of a file that a proof names: by the certificate itself, whatever its number. The organisation's own may have signed for several people: each in
 * a field of his own.
 */
export function findIn(
  report: ValidationReport,
  { field, certificate, certificate_sha256 }: ProofContent["signatures"][number],
): SignatureReport | undefined {
  const stated = certificate === null ? certificate_sha256 : toHex(sha256(fromBase64(certificate)));
  if (certificate_sha256 !== undefined && certificate_sha256 !== stated) return undefined;
  return report.signatures.find(
    (signature) => signature.kind === "signature" && signature.fieldName === field && signature.certificate?.sha256 === stated,
  );
}
