import { type SignatureReport, signatureFieldName, type ValidationReport } from "@paraphe/pades/parts";
import { isNamed } from "./is-named.ts";
import { isNear } from "./is-near.ts";
import { type JournalFacts, type JournalSignature, signaturesOf } from "./journal-facts.ts";

/** A signature that the journal names, and where the file bears it; undefined where it does not. */
export type NamedSignature = { readonly made: JournalSignature; readonly report: SignatureReport | undefined };

/**
 * A file held against what the journal says of its document. `strays`: signatures under this service's root, made after the first one, that it does not name; `faults`: where
 * a signature's own time-stamp or certificate says otherwise than the event that tells of it, in French.
 */
export type HeldFile = {
  readonly named: readonly NamedSignature[];
  readonly strays: readonly SignatureReport[];
  readonly faults: readonly string[];
};

/**
 * Holds what a validation found in a document's file against the journal: each signature by its own field, which is named after the envelope and the person and is among
 * what is signed, the number of its certificate, the name there, and the time of its time-stamp. A journal that was written anew, under another envelope or with other
 * dates, is not the file's.
 */
export function holdFile(
  facts: Pick<JournalFacts, "signatures">,
  { envelope, document }: { readonly envelope: string; readonly document: string },
  report: Pick<ValidationReport, "signatures">,
): HeldFile {
  const signatures = report.signatures.filter(({ kind }) => kind === "signature");
  const named = signaturesOf(facts, document).map((made) => ({ made, report: signatures.find((one) => isMade(one, envelope, made)) }));
  const own = new Set(named.map((one) => one.report));
  // What stands before the first signature came with the file that was sent: it may have been signed here, in another envelope.
  const first = Math.min(...named.flatMap((one) => (one.report === undefined ? [] : [one.report.revisionLength])));
  const strays = signatures.filter((one) => !own.has(one) && one.issuerNames.length > 0 && one.revisionLength > first);
  return { named, strays, faults: named.flatMap(faultsOf) };
}

/** A signature is in the journal as soon as it is in the file. */
function faultsOf({ made, report }: NamedSignature): readonly string[] {
  const { certificate = null, timestamp = null } = report ?? {};
  const who = certificate?.subject.commonName ?? made.name ?? "quelqu’un";
  const stamped = timestamp?.time.toISOString() ?? null;
  return [
    ...(stamped === null || isNear(made.at, stamped)
      ? []
      : [`L’historique dit la signature de «\u00a0${who}\u00a0» du ${made.at}, et son horodatage du ${stamped}.`]),
    ...(certificate === null || made.name === null || isNamed(made.name, certificate)
      ? []
      : [`L’historique dit que «\u00a0${made.name}\u00a0» a signé, et le certificat de la signature est celui de «\u00a0${who}\u00a0».`]),
  ];
}

function isMade({ fieldName, certificate }: SignatureReport, envelope: string, { recipient, serial }: JournalSignature): boolean {
  return (
    fieldName === signatureFieldName(envelope, recipient) &&
    certificate !== null &&
    (serial === null || serialNumber(serial) === serialNumber(certificate.serialNumber))
  );
}

/** A certificate's number, however it is written. */
export function serialNumber(serial: string): string {
  return serial
    .toLowerCase()
    .replace(/[^0-9a-f]/g, "")
    .replace(/^0+/, "");
}

/** Makes hashes of what was fed so far, which can be fed on. */
export type RunningHash = { update(bytes: Uint8Array): unknown; digestSoFar(): string };

/**
 * Says whether a file is the one that the journal last names for its document, and begins with every one that it named before: each signature, and each
 * archive time-stamp, is appended to the bytes before it (ISO 32000-2 §7.5.6). A file of another envelope that an event names is none.
 * Shape: `ends` are the lengths that the file had at each of its signatures and time-stamps; `sha256` in hexadecimal.
 */
export function isFileNamed(
  { files }: Pick<JournalFacts, "files">,
  file: { readonly document: string; readonly sha256: string; readonly bytes: Uint8Array; readonly ends: readonly number[] },
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
