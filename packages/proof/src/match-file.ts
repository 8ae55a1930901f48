import {
  signatureFieldName,
  type SignatureReport,
  type ValidationReport,
} from "@paraphe/pades/parts";
import { isNear, type JournalFacts, type JournalSignature, signaturesOf } from "./journal.ts";

/** ub-common-name (RFC 5280, appendix A.1). */
const MAX_COMMON_NAME = 64;

/** The organisation's certificate has no signer policy and serves several. */
export function isNamed(
  name: string,
  { subject, policyOids }: NonNullable<SignatureReport["certificate"]>,
): boolean {
  return (
    policyOids.length === 0 || [...name].slice(0, MAX_COMMON_NAME).join("") === subject.commonName
  );
}

export type NamedSignature = {
  readonly made: JournalSignature;
  readonly report: SignatureReport | undefined;
};

/**
 * `unnamed`: under this service's root, after the first one named; `faults`: French contradictions
 * with its event.
 */
export type MatchedFile = {
  readonly named: readonly NamedSignature[];
  readonly unnamed: readonly SignatureReport[];
  readonly faults: readonly string[];
};

/**
 * Matches by field name (which contains envelope and person, and is signed), certificate number,
 * name and time-stamp.
 */
export function matchFile(
  facts: Pick<JournalFacts, "signatures">,
  { envelope, document }: { readonly envelope: string; readonly document: string },
  report: Pick<ValidationReport, "signatures">,
): MatchedFile {
  const signatures = report.signatures.filter(({ kind }) => kind === "signature");
  const named = signaturesOf(facts, document).map((made) => ({
    made,
    report: signatures.find((one) => isMade(one, envelope, made)),
  }));
  const own = new Set(named.map((one) => one.report));
  // Earlier signatures came with the uploaded file, perhaps from another envelope here.
  const first = Math.min(
    ...named.flatMap((one) => (one.report === undefined ? [] : [one.report.revisionLength])),
  );
  const unnamed = signatures.filter(
    (one) => !own.has(one) && one.issuerNames.length > 0 && one.revisionLength > first,
  );
  return { named, unnamed, faults: named.flatMap(faultsOf) };
}

function faultsOf({ made, report }: NamedSignature): readonly string[] {
  const { certificate = null, timestamp = null } = report ?? {};
  const who = certificate?.subject.commonName ?? made.name ?? "quelqu’un";
  const stamped = timestamp?.time.toISOString() ?? null;
  return [
    ...(stamped === null || isNear(made.at, stamped)
      ? []
      : [
          `L’historique dit la signature de «\u00a0${who}\u00a0» du ${made.at}, et son horodatage du ${stamped}.`,
        ]),
    ...(certificate === null || made.name === null || isNamed(made.name, certificate)
      ? []
      : [
          `L’historique dit que «\u00a0${made.name}\u00a0» a signé, et le certificat de la signature est celui de «\u00a0${who}\u00a0».`,
        ]),
  ];
}

function isMade(
  { fieldName, certificate }: SignatureReport,
  envelope: string,
  { recipient, serial }: JournalSignature,
): boolean {
  return (
    fieldName === signatureFieldName(envelope, recipient) &&
    certificate !== null &&
    serialNumber(serial) === serialNumber(certificate.serialNumber)
  );
}

export function serialNumber(serial: string): string {
  return serial
    .toLowerCase()
    .replace(/[^0-9a-f]/g, "")
    .replace(/^0+/, "");
}

type RunningHash = { update(bytes: Uint8Array): unknown; digestSoFar(): string };

/**
 * Requires the journal's last file, which begins with every earlier one (ISO 32000-2 §7.5.6).
 * Shape: `ends`: length of each; `sha256` in hexadecimal.
 */
export function isFileNamed(
  { files }: Pick<JournalFacts, "files">,
  file: {
    readonly document: string;
    readonly sha256: string;
    readonly bytes: Uint8Array;
    readonly ends: readonly number[];
  },
  hash: RunningHash,
): boolean {
  const named = files.get(file.document) ?? [];
  if (named.at(-1) !== file.sha256) return false;
  const before = new Set(named.slice(0, -1).filter((sha256) => sha256 !== file.sha256));
  let at = 0;
  for (const end of file.ends.toSorted((left, right) => left - right)) {
    if (before.size === 0) return true;
    if (end <= at || end > file.bytes.length) continue;
    hash.update(file.bytes.subarray(at, end));
    before.delete(hash.digestSoFar());
    at = end;
  }
  return before.size === 0;
}
