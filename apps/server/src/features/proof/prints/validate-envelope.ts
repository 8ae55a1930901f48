import { createHash } from "node:crypto";
import {
  type Evidence,
  signatureFieldName,
  type SignatureReport,
  type ValidationReport,
} from "@paraphe/pades/parts";
import { type HeldFile, holdFile, lastFileOf, type NamedSignature } from "@paraphe/proof/parts";
import { AlteredFileError, MissingFileError } from "../../../platform/files/file-store.ts";
import { SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import { isSigned, type StoredDocument } from "../../documents/public.ts";
import type { EnvelopeAggregate } from "../../envelopes/public.ts";
import { type JudgedFile, warningsOfSignature } from "./domain/judge-proof.ts";
import { signatureVerdict } from "./domain/signature-verdict.ts";
import { isNamedFile } from "./hold-envelope.ts";
import type { PrintDeps } from "./print-deps.ts";
import { readWholeOf, type WholeEnvelope } from "./read-whole.ts";
import type { RecordedSignature } from "./store.ts";

/** One signature found in a file, with the person whose certificate it bears. */
export type FoundSignature = {
  readonly report: SignatureReport;
  readonly recorded: RecordedSignature;
};
/**
 * One document as it is stored now. `md5` is for information only; `pageCount`: as a signed file has it, null where it was not read; `named`: the signatures that the journal names, where the file bears them; `archivedAt`: the
 * time of the document time-stamp that ends it, if there is one and it holds; `faults`: where the journal or a row says otherwise than the file itself, in French.
 */
export type ValidatedDocument = {
  readonly document: StoredDocument;
  readonly sha256: Uint8Array;
  readonly md5: string | null;
  readonly found: readonly FoundSignature[];
  readonly named: readonly NamedSignature[];
  readonly archivedAt: Date | null;
  readonly pageCount: number | null;
  readonly faults: readonly string[];
  readonly judged: JudgedFile;
};

/** Validates every document of an envelope that was read, from its stored bytes, now. */
export async function validateEnvelope(
  deps: PrintDeps,
  aggregate: EnvelopeAggregate,
): Promise<readonly ValidatedDocument[]> {
  return validateWhole(deps, await readWholeOf(deps.platform.db, aggregate));
}

/** The same, of all that is stored of it: whose signatures a file must bear is what its journal says, not what the rows beside it do. */
export async function validateWhole(
  deps: PrintDeps,
  whole: WholeEnvelope,
): Promise<readonly ValidatedDocument[]> {
  const evidence = await deps.trust.currentEvidence();
  const documents: ValidatedDocument[] = [];
  for (const document of whole.aggregate?.documents ?? []) {
    const recorded = whole.recorded.filter((row) => row.documentId === document.id);
    const ocsps = await ocspsOf(deps, recorded);
    documents.push(
      await validateDocument(deps, { document, recorded, whole, evidence: { ...evidence, ocsps } }),
    );
  }
  return documents;
}

type DocumentWork = {
  readonly document: StoredDocument;
  readonly recorded: readonly RecordedSignature[];
  readonly whole: WholeEnvelope;
  readonly evidence: Evidence;
};

async function validateDocument(deps: PrintDeps, work: DocumentWork): Promise<ValidatedDocument> {
  const { document, recorded, whole, evidence } = work;
  const { sha256 } = document.current;
  // Before a first signature a file stands in no event, and nothing is said of it; no journal at all is its own fault, not a file's.
  const isAlone = !isSigned(document) || whole.events.length === 0;
  const isNamed =
    isAlone || lastFileOf(whole.facts, document.id) === Buffer.from(sha256).toString("hex");
  const stored = await readStored(deps, sha256);
  const bytes = stored === "missing" || stored === "altered" ? null : stored;
  const md5 = bytes === null ? null : createHash("md5").update(bytes).digest("hex");
  const nothing = {
    document,
    sha256,
    md5,
    found: [],
    named: [],
    archivedAt: null,
    pageCount: null,
    faults: bytes === null ? [] : sizeFaults(document, bytes),
  };
  const unread = {
    isStored: bytes !== null,
    isMissing: stored === "missing",
    isNamed,
    problems: [],
    signatures: [],
    recordedCount: recorded.length,
  };
  if (bytes === null || !isSigned(document)) return { ...nothing, judged: unread };
  const sandbox = deps.platform.sandbox.askedBy({ key: `proof:${document.id}`, haste: "patient" });
  const report = await withinLimits(() =>
    sandbox.call("validate", bytes, { evidence, now: deps.platform.clock() }),
  );
  // What could not be read bears no signature that would say where an earlier file ended.
  const ends = report.signatures.map(({ revisionLength }) => revisionLength);
  const isGrown =
    isAlone || ends.length === 0 || isNamedFile(whole.facts, { document, bytes, ends });
  const held = whole.chain.intact
    ? holdFile(whole.facts, { envelope: whole.id, document: document.id }, report)
    : null;
  const judged = { ...judgeFile(report, recorded, held ?? undefined), isNamed: isNamed && isGrown };
  const faults = [
    ...nothing.faults,
    ...(held === null ? [] : [...held.faults, ...certificateFaults(held.named, recorded)]),
  ];
  const { pageCount } = report;
  return {
    document,
    sha256,
    md5,
    found: findOurs(report, recorded),
    named: held?.named ?? [],
    archivedAt: archivedAt(report),
    pageCount,
    faults,
    judged,
  };
}

/** A row says how long the file is that is served; the file itself was hashed. */
function sizeFaults({ name, current }: StoredDocument, bytes: Uint8Array): readonly string[] {
  return bytes.length === current.sizeBytes
    ? []
    : [
        `Le fichier de «\u00a0${name}\u00a0» a ${bytes.length} octets, et la base en dit ${current.sizeBytes}.`,
      ];
}

/** The certificate that a row keeps of a signature is what is answered for, and told: it is the file's own. */
function certificateFaults(
  named: readonly NamedSignature[],
  recorded: readonly RecordedSignature[],
): readonly string[] {
  return named.flatMap(({ made, report }) => {
    const row = recorded.find(({ recipientId }) => recipientId === made.recipient);
    const own = report?.certificate ?? null;
    if (row === undefined || own === null || sha256Of(row.certificateDer) === own.sha256) return [];
    return [
      `Le certificat que la base garde de la signature de «\u00a0${own.subject.commonName}\u00a0» n’est pas celui du fichier.`,
    ];
  });
}

function archivedAt({ signatures }: ValidationReport): Date | null {
  const last = signatures.at(-1);
  return last?.kind === "document_timestamp" && last.indication === "TOTAL_PASSED"
    ? (last.timestamp?.time ?? null)
    : null;
}

/** What the sandbox had to end says no more of a file than what the core refuses to work out. */
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

/** Gives what a report says of a stored file, in words; `recorded` are the signatures that were made here, `held` those that the journal names. */
export function judgeFile(
  report: ValidationReport,
  recorded: readonly RecordedSignature[],
  held?: HeldFile,
): JudgedFile {
  const isOurs = (signature: SignatureReport) =>
    held === undefined
      ? recordOf(signature, recorded) !== null
      : held.named.some((one) => one.report === signature);
  return {
    isStored: true,
    isNamed: true,
    problems: [
      ...report.problems,
      ...(held === undefined || held.strays.length === 0 ? [] : ["stray_signature"]),
    ],
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
        isOurs: isOurs(signature),
      })),
    recordedCount: held?.named.length ?? recorded.length,
  };
}

/** Sub-indications that say the bytes are not those that were signed. Source: EN 319 102-1 §5.1.3. */
const BROKEN: ReadonlySet<string> = new Set([
  "FORMAT_FAILURE",
  "HASH_FAILURE",
  "SIG_CRYPTO_FAILURE",
  "SIGNED_DATA_NOT_FOUND",
]);

function findOurs(
  report: ValidationReport,
  recorded: readonly RecordedSignature[],
): readonly FoundSignature[] {
  return report.signatures.flatMap((signature) => {
    const record = recordOf(signature, recorded);
    return record === null ? [] : [{ report: signature, recorded: record }];
  });
}

/** By the certificate itself: a file may bring a signature under another authority, which gave its certificate the number of one of ours. */
function recordOf(
  signature: SignatureReport,
  recorded: readonly RecordedSignature[],
): RecordedSignature | null {
  const known = signature.certificate?.sha256;
  if (signature.kind !== "signature" || known === undefined) return null;
  // In the field made for them: the organisation's hardware key may have signed for several people, and a person in another envelope.
  const isTheirs = ({ envelopeId, recipientId }: RecordedSignature) =>
    recipientId === null
      ? signature.fieldName.startsWith(signatureFieldName(envelopeId, ""))
      : signature.fieldName === signatureFieldName(envelopeId, recipientId);
  return recorded.find((row) => sha256Of(row.certificateDer) === known && isTheirs(row)) ?? null;
}

const sha256Of = (der: Uint8Array): string => createHash("sha256").update(der).digest("hex");

async function readStored(
  deps: PrintDeps,
  sha256: Uint8Array,
): Promise<Uint8Array | "missing" | "altered"> {
  try {
    return await deps.platform.files.get(sha256);
  } catch (error) {
    if (error instanceof MissingFileError) return "missing";
    if (error instanceof AlteredFileError) return "altered";
    throw error;
  }
}

/** An answer of this moment for each certificate of ours, so that a revocation is seen at once. */
async function ocspsOf(
  deps: PrintDeps,
  recorded: readonly RecordedSignature[],
): Promise<readonly Uint8Array[]> {
  const certificates = new Map(
    recorded.map((row) => [sha256Of(row.certificateDer), row.certificateDer]),
  );
  const answers = await Promise.all([...certificates.values()].map((der) => deps.trust.ocsp(der)));
  return answers.filter((answer) => answer !== null);
}
