import { createHash } from "node:crypto";
import { fromHex, toHex } from "@paraphe/kernel/bytes";
import {
  failure,
  type Inclusion,
  problem,
  type Proof,
  type Result,
  success,
} from "@paraphe/contracts";
import type { Evidence, SignatureReport, ValidationReport } from "@paraphe/pades";
import {
  type JournalFacts,
  type JournalSignature,
  type MatchedFile,
  type NamedSignature,
  fileOf,
  isEndLogged,
  isFileNamed,
  matchFile,
  readJournal,
  verifyInclusion,
  verifyTrustedCheckpoint,
} from "@paraphe/proof/parts";
import type { Database } from "../../../platform/database/database.ts";
import { inParallel, inTransaction } from "../../../platform/database/in-transaction.ts";
import { AlteredFileError, MissingFileError } from "../../../platform/files/file-store.ts";
import { SandboxLimitError } from "../../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../../platform/platform.ts";
import {
  type StoredEvent,
  eventFault,
  leafOf,
  readLog,
  readStoredJournal,
  wasLeftOut,
} from "../../journal/public.ts";
import { type Trust, loadIssuedCertificates } from "../../trust/public.ts";
import { type CheckedFile, signatureVerdict, warningsOfSignature } from "./domain/verdicts.ts";
import type { MadePrint } from "./store.ts";

/**
 * `broken`: an event was changed, lost or moved; `unlike_log`: it lacks a head that the log has.
 */
export type ChainVerdict =
  | { readonly intact: true; readonly count: number; readonly head: Uint8Array }
  | {
      readonly intact: false;
      readonly count: number;
      readonly sequence: number;
      readonly reason: "broken" | "unlike_log";
    };

/** An envelope's journal, with its projection and place in the log. */
export type EnvelopeRecord = {
  readonly id: string;
  readonly events: readonly StoredEvent[];
  readonly facts: JournalFacts;
  readonly chain: ChainVerdict;
  readonly inclusion: Inclusion | null;
};

export function readRecord(db: Database, id: string): Promise<EnvelopeRecord> {
  return inTransaction(db, async (trx) => {
    // The log first: the journal, read after it, then has all that the log names.
    const { log, events } = await inParallel({
      log: readLog(trx, id),
      events: Array.fromAsync(readStoredJournal(trx, id)),
    });
    const { heads, inclusion } = log;
    const facts = readJournal(events.map((event) => ({ ...event, at: event.at.toISOString() })));
    return { id, events, facts, chain: verifyRecord(id, events, heads), inclusion };
  });
}

/** Errors: `print_returned` for a print of a version that was returned to the sender. */
export async function readPrinted(
  db: Platform["db"],
  { id, envelopeId }: MadePrint,
): Promise<Result<EnvelopeRecord>> {
  const record = await readRecord(db, envelopeId);
  return record.facts.prints.get(id)?.isVoid ? failure(problem("print_returned")) : success(record);
}

/** `heads` are the log's, in hex. */
function verifyRecord(
  envelopeId: string,
  events: readonly StoredEvent[],
  heads: ReadonlyMap<number, string>,
): ChainVerdict {
  let head: Uint8Array | null = null;
  for (const [index, event] of events.entries()) {
    const sequence = index + 1;
    const logged = heads.get(sequence);
    if (eventFault(event, { envelopeId, sequence, previous: head }) !== null)
      return { intact: false, count: sequence, sequence, reason: "broken" };
    if (logged !== undefined && logged !== toHex(event.hash))
      return { intact: false, count: sequence, sequence, reason: "unlike_log" };
    head = event.hash;
  }
  const count = events.length;
  // A journal without any event has lost them.
  if (head === null) return { intact: false, count, sequence: 1, reason: "broken" };
  const cut = [...heads.keys()].find((sequence) => sequence > count);
  return cut === undefined
    ? { intact: true, count, head }
    : { intact: false, count, sequence: cut, reason: "unlike_log" };
}

/**
 * Requires that the entry leads to the checkpoint's root, signed by a seal of ours not revoked
 * then, at a time that a known authority attests.
 * Source: RFC 9162 §2.1.3.2.
 */
export async function isLogSound(
  deps: PrintDeps,
  { entry, leaf_index, size, path, checkpoint }: Inclusion,
): Promise<boolean> {
  const isIncluded =
    size === checkpoint.size &&
    verifyInclusion({
      leafHash: leafOf(entry),
      leafIndex: leaf_index,
      size,
      path: path.map(fromHex),
      root: fromHex(checkpoint.root),
    });
  return isIncluded && (await isCheckpointOurs(deps, checkpoint));
}

async function isCheckpointOurs(
  { platform, trust }: PrintDeps,
  checkpoint: Inclusion["checkpoint"],
): Promise<boolean> {
  const verdict = await verifyTrustedCheckpoint(checkpoint, {
    evidence: await trust.currentEvidence(),
    now: platform.clock(),
  });
  // The seal identifies us: the checkpoint may name a former address.
  if (!verdict.ok) return false;
  return (await trust.seals()).some((der) => Buffer.compare(der, verdict.facts.seal.der) === 0);
}

/** `isLogSound` is recomputed; `isLate`: the completion is absent, or from long before. */
type ProvenJournal = Pick<Proof, "chain" | "inclusion" | "completion_logged"> & {
  readonly isLogSound: boolean;
  readonly isLate: boolean;
};

/** Checkpoints are hourly; an authority may be absent as long again. Milliseconds. */
export const LOGGED_WITHIN_MS = 2 * 3_600_000;

export async function proveJournal(
  deps: PrintDeps,
  record: EnvelopeRecord,
): Promise<ProvenJournal> {
  return {
    chain: { intact: record.chain.intact, count: record.chain.count },
    inclusion: record.inclusion,
    completion_logged: isEndLogged(record, record.facts),
    isLogSound: record.inclusion === null || (await isLogSound(deps, record.inclusion)),
    isLate: await isLate(deps, record),
  };
}

/** A later checkpoint without the completion shows that it was backdated. */
export async function isLate(
  { platform }: PrintDeps,
  { id, facts, inclusion }: EnvelopeRecord,
): Promise<boolean> {
  const { completedAt, completedSequence } = facts;
  if (completedAt === null || completedSequence === null) return false;
  const limit = new Date(Date.parse(completedAt) + LOGGED_WITHIN_MS);
  if (platform.clock() <= limit) return false;
  if (!isEndLogged({ inclusion }, { completedSequence })) return true;
  return wasLeftOut(platform.db, { envelopeId: id, sequence: completedSequence, after: limit });
}

export type PrintDeps = { readonly platform: Platform; readonly trust: Trust };

export type FoundSignature = {
  readonly made: JournalSignature;
  readonly report: SignatureReport;
  readonly certificate: NonNullable<SignatureReport["certificate"]>;
};

/**
 * `sha256` is hex; `md5` for information; `pageCount`, `sizeBytes`, `bytes`: null when missing or
 * unreadable; `archivedAt`: of a valid final time-stamp; `faults`: contradictions with the journal,
 * in French.
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

/** The bytes once their SHA-256 was compared, or the fault. */
type StoredFile = Uint8Array | "missing" | "altered";
export type StoredFiles = ReadonlyMap<string, StoredFile>;

export async function readFiles(deps: PrintDeps, { facts }: EnvelopeRecord): Promise<StoredFiles> {
  const files = new Map<string, StoredFile>();
  for (const id of facts.documents) {
    const sha256 = fileOf(facts, id);
    if (sha256 !== null) files.set(id, await readStored(deps, sha256));
  }
  return files;
}

/** Validates every document of the journal now. `files` were just read. */
export async function validateRecord(
  deps: PrintDeps,
  record: EnvelopeRecord,
  files?: StoredFiles,
): Promise<readonly ValidatedDocument[]> {
  const evidence = { ...(await deps.trust.currentEvidence()), ocsps: await ocspsOf(deps, record) };
  const documents: ValidatedDocument[] = [];
  for (const [id, stored] of files ?? (await readFiles(deps, record)))
    documents.push(await validateDocument(deps, { id, stored, record, evidence }));
  return documents;
}

type DocumentWork = {
  readonly id: string;
  readonly stored: StoredFile;
  readonly record: EnvelopeRecord;
  readonly evidence: Evidence;
};

async function validateDocument(
  deps: PrintDeps,
  { id, stored, record, evidence }: DocumentWork,
): Promise<ValidatedDocument> {
  const { facts } = record;
  const sha256 = fileOf(facts, id) ?? "";
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
  // Signatures before our first one are not ours.
  if (!isSigned) return { ...unread, pageCount, checked: nothing };
  const matched = matchFile(facts, { envelope: record.id, document: id }, report);
  // An unreadable file shows no earlier lengths.
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

/** Requires that each begins with those named before. `ends`: bytes. */
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

/** The core's limits give a report too. */
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
  { named, unnamed }: Pick<MatchedFile, "named" | "unnamed">,
): CheckedFile {
  return {
    isStored: true,
    isNamed: true,
    problems: [...report.problems, ...(unnamed.length === 0 ? [] : ["stray_signature"])],
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

/** These mean changed bytes. Source: EN 319 102-1 §5.1.3. */
const BROKEN: ReadonlySet<string> = new Set([
  "FORMAT_FAILURE",
  "HASH_FAILURE",
  "SIG_CRYPTO_FAILURE",
  "SIGNED_DATA_NOT_FOUND",
]);

async function readStored({ platform }: PrintDeps, sha256: string): Promise<StoredFile> {
  try {
    return await platform.files.get(new Uint8Array(Buffer.from(sha256, "hex")));
  } catch (error) {
    if (error instanceof MissingFileError) return "missing";
    if (error instanceof AlteredFileError) return "altered";
    throw error;
  }
}

/** Asks anew, so that a revocation shows at once. */
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
