import type { PadesLevel, SignatureReport, ValidationReport } from "@paraphe/pades";

/** What we wrote is not what we meant to write. It is never stored nor acknowledged; the work is tried again. */
export class UnsoundSignatureError extends Error {
  override readonly name = "UnsoundSignatureError";
}

/** Every earlier revision stays as it is in what comes after: that is what keeps earlier signatures valid. */
export function assertPrefix(before: Uint8Array, after: Uint8Array): void {
  if (after.length <= before.length || Buffer.compare(before, after.subarray(0, before.length)) !== 0) {
    throw new UnsoundSignatureError("The new revision does not begin with the bytes of the one before");
  }
}

/**
 * Our own validator must pass the new signature, which covers the whole file; earlier ones must not have been broken. Gives its level.
 * Earlier signatures of other makers may stay INDETERMINATE: their authorities are not ours to know.
 */
export function assertSigned(report: ValidationReport): PadesLevel {
  const made = report.signatures.findLast((signature) => signature.coverage === "whole_file");
  if (isBroken(report) || made === undefined || made.indication !== "TOTAL_PASSED" || made.level === null || made.level === "B-B")
    throw unsound("signed", report);
  return made.level;
}

/**
 * The file must prove each of our signatures, by its serial number, at level B-LTA, and end with a document time-stamp that passes.
 * `serialNumbers`: one for each signature; the organisation's key may have made several.
 */
export function assertArchived(report: ValidationReport, serialNumbers: readonly string[]): void {
  const last = report.signatures.at(-1);
  const isStamped = last?.kind === "document_timestamp" && last.coverage === "whole_file" && last.indication === "TOTAL_PASSED";
  const proven = report.signatures.filter(isProven).map((signature) => signature.certificate?.serialNumber ?? "");
  const count = (list: readonly string[], serial: string) => list.filter((each) => each === serial).length;
  const isProvenWhole = serialNumbers.every((serial) => count(proven, serial) >= count(serialNumbers, serial));
  if (isBroken(report) || !isStamped || !isProvenWhole) throw unsound("archived", report);
}

function isProven({ kind, indication, level }: SignatureReport): boolean {
  return kind === "signature" && indication === "TOTAL_PASSED" && level === "B-LTA";
}

function isBroken(report: ValidationReport): boolean {
  return report.problems.length > 0 || report.signatures.some((signature) => signature.indication === "TOTAL_FAILED");
}

function unsound(revision: "signed" | "archived", report: ValidationReport): UnsoundSignatureError {
  const found = report.signatures
    .map(
      ({ kind, indication, subIndication, level, laterChanges }) =>
        `${kind}/${indication}/${subIndication ?? "-"}/${level ?? "-"}/${laterChanges}`,
    )
    .join(", ");
  return new UnsoundSignatureError(`The ${revision} revision was not passed by the validator: ${found}; ${report.problems.join(", ")}`);
}
