import { createHash } from "node:crypto";
import type { Evidence, SignatureReport, ValidationReport } from "@paraphe/pades";
import {
  fileOf,
  isFileNamed,
  type JournalSignature,
  type MatchedFile,
  matchFile,
  type NamedSignature,
} from "@paraphe/proof/parts";
import { AlteredFileError, MissingFileError } from "../../../platform/files/file-store.ts";
import { SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { loadIssuedCertificates } from "../../trust/public.ts";
import { type CheckedFile, warningsOfSignature } from "./domain/verdicts.ts";
import { signatureVerdict } from "./domain/verdicts.ts";
import type { PrintDeps } from "./print-deps.ts";
import type { EnvelopeRecord } from "./read-record.ts";

/** A signature that the journal names and the file bears. */
export type FoundSignature = {
  readonly made: JournalSignature;
  readonly report: SignatureReport;
  readonly certificate: NonNullable<SignatureReport["certificate"]>;
};

/**
 * `sha256` in hex; `md5` for information only; `pageCount`, `sizeBytes`, `bytes`: null when the
 * file is missing or unreadable; `archivedAt`: of a valid final time-stamp; `faults`:
 * contradictions with the journal, in French.
 */
export type ValidatedDocument = {
  readonly id: string;
  readonly name: string | null;
  readonly sha256: string;
  readonly isSigned: boolean;
  readonly bytes: Uint8Array | null;
  readonly md5: string | null;
  readonly pageCount: number | null;
  readonly named: readonly NamedSignature[];
  readonly archivedAt: Date | null;
  readonly faults: readonly string[];
  readonly checked: CheckedFile;
};

export function foundIn(documents: readonly ValidatedDocument[]): readonly FoundSignature[] {
  return documents.flatMap(({ named }) =>
    named.flatMap(({ made, report }) =>
      report?.certificate ? [{ made, report, certificate: report.certificate }] : [],
    ),
  );
}

/** Validates the stored bytes of every document in the journal, now. */
export async function validateRecord(
  deps: PrintDeps,
  record: EnvelopeRecord,
): Promise<readonly ValidatedDocument[]> {
  const evidence = { ...(await deps.trust.currentEvidence()), ocsps: await ocspsOf(deps, record) };
  const documents: ValidatedDocument[] = [];
  for (const id of record.facts.documents) {
    const sha256 = fileOf(record.facts, id);
    if (sha256 !== null)
      documents.push(await validateDocument(deps, { id, sha256, record, evidence }));
  }
  return documents;
}

type DocumentWork = {
  readonly id: string;
  readonly sha256: string;
  readonly record: EnvelopeRecord;
  readonly evidence: Evidence;
};

async function validateDocument(
  deps: PrintDeps,
  { id, sha256, record, evidence }: DocumentWork,
): Promise<ValidatedDocument> {
  const { facts } = record;
  const stored = await readStored(deps, sha256);
  const bytes = stored === "missing" || stored === "altered" ? null : stored;
  const isSigned = facts.files.has(id);
  const unread = {
    id,
    name: facts.documentNames.get(id) ?? null,
    sha256,
    isSigned,
    bytes,
    md5: bytes === null ? null : createHash("md5").update(bytes).digest("hex"),
    pageCount: null,
    named: matchFile(facts, { envelope: record.id, document: id }, { signatures: [] }).named,
    archivedAt: null,
    faults: [],
  };
  const nothing = {
    isStored: bytes !== null,
    isMissing: stored === "missing",
    isNamed: true,
    problems: [],
    signatures: [],
    expectedCount: unread.named.length,
  };
  if (bytes === null) return { ...unread, checked: nothing };
  const sandbox = deps.platform.sandbox.askedBy({ key: `proof:${id}`, haste: "patient" });
  const report = await withinLimits(() =>
    sandbox.call("validate", bytes, { evidence, now: deps.platform.clock() }),
  );
  const { pageCount } = report;
  // Before the first signature, those in the file are not the envelope's.
  if (!isSigned) return { ...unread, pageCount, checked: nothing };
  const matched = matchFile(facts, { envelope: record.id, document: id }, report);
  // An unreadable file gives no earlier lengths.
  const ends = report.signatures.map(({ revisionLength }) => revisionLength);
  const isNamed = ends.length === 0 || isGrown(record, { id, sha256, bytes, ends });
  return {
    ...unread,
    pageCount,
    named: matched.named,
    archivedAt: archivedAt(report),
    faults: matched.faults,
    checked: { ...checkFile(report, matched), isNamed },
  };
}

/** Whether a file begins with each one named before it. `ends`: in bytes. */
export function isGrown(
  { facts }: Pick<EnvelopeRecord, "facts">,
  {
    id: document,
    ...file
  }: {
    readonly id: string;
    readonly sha256: string;
    readonly bytes: Uint8Array;
    readonly ends: readonly number[];
  },
): boolean {
  const hash = createHash("sha256");
  return isFileNamed(
    facts,
    { document, ...file },
    {
      update: (part: Uint8Array) => hash.update(part),
      digestSoFar: () => hash.copy().digest("hex"),
    },
  );
}

function archivedAt({ signatures }: ValidationReport): Date | null {
  const last = signatures.at(-1);
  return last?.kind === "document_timestamp" && last.indication === "TOTAL_PASSED"
    ? (last.timestamp?.time ?? null)
    : null;
}

/** A sandbox limit gives the same report as the core's limits. */
async function withinLimits(validated: () => Promise<ValidationReport>): Promise<ValidationReport> {
  try {
    return await validated();
  } catch (error) {
    if (error instanceof SandboxLimitError)
      return {
        indication: "INDETERMINATE",
        signatures: [],
        problems: ["pdf_too_complex"],
        pageCount: null,
      };
    throw error;
  }
}

export function checkFile(
  report: ValidationReport,
  { named, strays }: Pick<MatchedFile, "named" | "strays">,
): CheckedFile {
  return {
    isStored: true,
    isNamed: true,
    problems: [...report.problems, ...(strays.length === 0 ? [] : ["stray_signature"])],
    signatures: report.signatures
      .filter((signature) => signature.kind === "signature")
      .map((signature) => ({
        indication: signature.indication,
        said: signatureVerdict(signature),
        warnings: warningsOfSignature(signature.warnings),
        isIntact:
          signature.coverage !== "partial" &&
          signature.laterChanges !== "other" &&
          !BROKEN.has(signature.subIndication ?? ""),
        level: signature.level,
        isOurs: named.some((one) => one.report === signature),
      })),
    expectedCount: named.length,
  };
}

/** Sub-indications of changed bytes. Source: EN 319 102-1 §5.1.3. */
const BROKEN: ReadonlySet<string> = new Set([
  "FORMAT_FAILURE",
  "HASH_FAILURE",
  "SIG_CRYPTO_FAILURE",
  "SIGNED_DATA_NOT_FOUND",
]);

async function readStored(
  { platform }: PrintDeps,
  sha256: string,
): Promise<Uint8Array | "missing" | "altered"> {
  try {
    return await platform.files.get(new Uint8Array(Buffer.from(sha256, "hex")));
  } catch (error) {
    if (error instanceof MissingFileError) return "missing";
    if (error instanceof AlteredFileError) return "altered";
    throw error;
  }
}

/** Fresh answers show a revocation at once. */
async function ocspsOf(
  { platform, trust }: PrintDeps,
  { facts }: EnvelopeRecord,
): Promise<readonly Uint8Array[]> {
  const certificates = await loadIssuedCertificates(
    platform.db,
    facts.signatures.map(({ serial }) => serial),
  );
  const answers = await Promise.all([...certificates.values()].map((der) => trust.ocsp(der)));
  return answers.filter((answer) => answer !== null);
}
