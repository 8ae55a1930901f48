import { createHash } from "node:crypto";
import type { Evidence, SignatureReport, ValidationReport } from "@paraphe/pades";
import type { Reader } from "../../platform/database/database.ts";
import { AlteredFileError, MissingFileError } from "../../platform/files/file-store.ts";
import { SandboxLimitError } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { isSigned, type StoredDocument } from "../documents/index.ts";
import type { EnvelopeAggregate } from "../envelopes/index.ts";
import type { JudgedFile } from "./domain/judge-proof.ts";
import { signatureVerdict } from "./domain/signature-verdict.ts";
import { warningsOfSignature } from "./domain/signature-warnings.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";
import type { PrintDeps } from "./print-deps.ts";
import { loadRecordedSignatures, type RecordedSignature } from "./store.ts";

/** One signature found in a file, with the person whose certificate it bears. */
export type FoundSignature = { readonly report: SignatureReport; readonly recorded: RecordedSignature };
/** One document as it is stored now. `md5` is for information only; `archivedAt`: the time of the document time-stamp that ends it, if there is one and it holds. */
export type ValidatedDocument = {
  readonly document: StoredDocument;
  readonly sha256: Uint8Array;
  readonly md5: string | null;
  readonly found: readonly FoundSignature[];
  readonly archivedAt: Date | null;
  readonly judged: JudgedFile;
};

/** Validates every document of an envelope from its stored bytes, now; nothing is taken from what was written down when it was signed but whose certificate is whose. */
export async function validateEnvelope(deps: PrintDeps, aggregate: EnvelopeAggregate): Promise<readonly ValidatedDocument[]> {
  const recorded = await recordedIn(deps.platform.db, aggregate);
  const evidence = await deps.trust.currentEvidence();
  const named = await namedFiles(deps.platform.db, aggregate.envelope.id);
  const documents: ValidatedDocument[] = [];
  for (const document of aggregate.documents) {
    const own = recorded.filter((row) => row.documentId === document.id);
    const ocsps = await ocspsOf(deps, own);
    documents.push(await validateDocument(deps, { document, recorded: own, named, evidence: { ...evidence, ocsps } }));
  }
  return documents;
}

/** Gives the signatures recorded in an envelope as it was read: what somebody signs meanwhile is in files that were not read. */
export async function recordedIn(reader: Reader, { envelope, recipients }: EnvelopeAggregate): Promise<readonly RecordedSignature[]> {
  const waiting = new Set(recipients.filter(({ status }) => status !== "signed").map(({ id }) => id));
  return (await loadRecordedSignatures(reader, envelope.id)).filter(({ recipientId }) => recipientId === null || !waiting.has(recipientId));
}

type DocumentWork = {
  readonly document: StoredDocument;
  readonly recorded: readonly RecordedSignature[];
  readonly named: NamedFiles;
  readonly evidence: Evidence;
};

async function validateDocument(deps: PrintDeps, { document, recorded, named, evidence }: DocumentWork): Promise<ValidatedDocument> {
  const { sha256 } = document.current;
  // Before a first signature a file stands in no event, and nothing is said of it.
  const isNamed = !isSigned(document) || named(document.id, sha256);
  const bytes = await readStored(deps, sha256);
  if (bytes === null)
    return {
      document,
      sha256,
      md5: null,
      found: [],
      archivedAt: null,
      judged: { isStored: false, isNamed, problems: [], signatures: [], recordedCount: recorded.length },
    };
  const md5 = createHash("md5").update(bytes).digest("hex");
  if (!isSigned(document))
    return {
      document,
      sha256,
      md5,
      found: [],
      archivedAt: null,
      judged: { isStored: true, isNamed, problems: [], signatures: [], recordedCount: recorded.length },
    };
  const sandbox = deps.platform.sandbox.askedBy({ key: `proof:${document.id}`, haste: "patient" });
  const report = await withinLimits(() => sandbox.call("validate", bytes, { evidence, now: deps.platform.clock() }));
  const found = findOurs(report, recorded);
  return { document, sha256, md5, found, archivedAt: archivedAt(report), judged: { ...judgeFile(report, recorded), isNamed } };
}

function archivedAt({ signatures }: ValidationReport): Date | null {
  const last = signatures.at(-1);
  return last?.kind === "document_timestamp" && last.indication === "TOTAL_PASSED" ? (last.timestamp?.time ?? null) : null;
}

/** What the sandbox had to end says no more of a file than what the core refuses to work out. */
async function withinLimits(validated: () => Promise<ValidationReport>): Promise<ValidationReport> {
  try {
    return await validated();
  } catch (error) {
    if (error instanceof SandboxLimitError) return { indication: "INDETERMINATE", signatures: [], problems: ["pdf_too_complex"] };
    throw error;
  }
}

/** Gives what a report says of a stored file, in words; `recorded` are the signatures that were made here. */
export function judgeFile(report: ValidationReport, recorded: readonly RecordedSignature[]): JudgedFile {
  return {
    isStored: true,
    isNamed: true,
    problems: report.problems,
    signatures: report.signatures
      .filter((signature) => signature.kind === "signature")
      .map((signature) => ({
        indication: signature.indication,
        said: signatureVerdict(signature),
        warnings: warningsOfSignature(signature.warnings),
        isIntact: signature.coverage !== "partial" && signature.laterChanges !== "other" && !BROKEN.has(signature.subIndication ?? ""),
        level: signature.level,
        isOurs: recordOf(signature, recorded) !== null,
      })),
    recordedCount: recorded.length,
  };
}

/** Sub-indications that say the bytes are not those that were signed. Source: EN 319 102-1 §5.1.3. */
const BROKEN: ReadonlySet<string> = new Set(["FORMAT_FAILURE", "HASH_FAILURE", "SIG_CRYPTO_FAILURE", "SIGNED_DATA_NOT_FOUND"]);

function findOurs(report: ValidationReport, recorded: readonly RecordedSignature[]): readonly FoundSignature[] {
  return report.signatures.flatMap((signature) => {
    const record = recordOf(signature, recorded);
    return record === null ? [] : [{ report: signature, recorded: record }];
  });
}

/** By the certificate itself: a file may bring a signature under another authority, which gave its certificate the number of one of ours. */
function recordOf(signature: SignatureReport, recorded: readonly RecordedSignature[]): RecordedSignature | null {
  const known = signature.certificate?.sha256;
  if (signature.kind !== "signature" || known === undefined) return null;
  const [only, ...more] = recorded.filter((row) => sha256Of(row.certificateDer) === known);
  if (more.length === 0) return only ?? null;
  // The organisation's hardware key may have signed for several people: each in the field made for them.
  return [only, ...more].find((row) => row?.recipientId && signature.fieldName.endsWith(`_signature_${row.recipientId}`)) ?? null;
}

const sha256Of = (der: Uint8Array): string => createHash("sha256").update(der).digest("hex");

async function readStored(deps: PrintDeps, sha256: Uint8Array): Promise<Uint8Array | null> {
  try {
    return await deps.platform.files.get(sha256);
  } catch (error) {
    if (error instanceof MissingFileError || error instanceof AlteredFileError) return null;
    throw error;
  }
}

/** An answer of this moment for each certificate of ours, so that a revocation is seen at once. */
async function ocspsOf(deps: PrintDeps, recorded: readonly RecordedSignature[]): Promise<readonly Uint8Array[]> {
  const certificates = new Map(recorded.map((row) => [sha256Of(row.certificateDer), row.certificateDer]));
  const answers = await Promise.all([...certificates.values()].map((der) => deps.trust.ocsp(der)));
  return answers.filter((answer) => answer !== null);
}
