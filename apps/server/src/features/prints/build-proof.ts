import type { Proof } from "@paraphe/contracts";
import { parseCertificate, type SignatureReport } from "@paraphe/pades";
import { isSigned } from "../documents/index.ts";
import { type EnvelopeAggregate, type EnvelopeRecipient, loadEnvelope, mustSign } from "../envelopes/index.ts";
import { type Judgement, judgeProof } from "./domain/judge-proof.ts";
import { warningsOfFiles } from "./domain/signature-warnings.ts";
import { withJournal } from "./domain/with-journal.ts";
import { presentCertificate } from "./present-certificate.ts";
import { printUrl } from "./present-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import { proveJournal } from "./prove-journal.ts";
import { loadTombstone, type PrintRow, type RecordedSignature } from "./store.ts";
import { recordedIn, type ValidatedDocument, validateEnvelope } from "./validate-envelope.ts";

/** A print to be proven. `sig` goes into the addresses of the answer; the owner's session asks without one. */
export type PrintToProve = { readonly print: PrintRow; readonly sig: string | null };
/** An envelope to be proven, behind a print or, for its owner, behind none. */
export type EnvelopeToProve = PrintToProve | { readonly print: null; readonly envelopeId: string; readonly sig: null };

export const envelopeIdOf = (request: EnvelopeToProve): string => (request.print === null ? request.envelopeId : request.print.envelopeId);

const MAX_COMMON_NAME = 64;

/** Gives the proof of a print: everything in it comes from the stored files, validated now (contract §6). */
export async function buildProof(deps: PrintDeps, request: PrintToProve): Promise<Proof> {
  return (await proveFiles(deps, request)).proof;
}

/** The same, with the files that it was read from and the signatures recorded in them: none once the envelope is purged. */
export async function proveFiles(
  deps: PrintDeps,
  request: EnvelopeToProve,
): Promise<{ readonly proof: Proof; readonly documents: readonly ValidatedDocument[]; readonly recorded: readonly RecordedSignature[] }> {
  const aggregate = await loadEnvelope(deps.platform.db, envelopeIdOf(request));
  if (aggregate === null) return { proof: await purgedProof(deps, envelopeIdOf(request)), documents: [], recorded: [] };
  const documents = await validateEnvelope(deps, aggregate);
  const recorded = await recordedIn(deps.platform.db, aggregate);
  return { proof: await presentProof(deps, { ...request, aggregate, documents }), documents, recorded };
}

type ValidatedPrint = Pick<EnvelopeToProve, "print" | "sig"> & {
  readonly aggregate: EnvelopeAggregate;
  readonly documents: readonly ValidatedDocument[];
};

async function presentProof(deps: PrintDeps, { print, sig, aggregate, documents }: ValidatedPrint): Promise<Proof> {
  const { envelope } = aggregate;
  const signers = aggregate.recipients.filter(mustSign).map((recipient) => presentSigner(recipient, documents));
  const judged = documents.map((document) => document.judged);
  const isCancelled = envelope.status === "cancelled";
  // Its owner, who asks without a sig, sees the document all the same.
  const isWithheld = isCancelled || (envelope.proofOnly && sig !== null);
  const judgement = judgeProof(judged, signers.filter((signer) => !signer.signed).length);
  const journal = await proveJournal(deps.platform.db, envelope.id);
  const presented = documents.map((document) => ({
    name: document.document.name,
    hash_sha256: Buffer.from(document.sha256).toString("hex"),
    hash_md5: document.md5,
    document_url:
      print === null || isWithheld || !isShown(document)
        ? null
        : documentUrl(print, sig, documents.length === 1 ? null : document.document.id),
    page_count: document.document.pageCount,
  }));
  return {
    title: envelope.title,
    completed: envelope.status === "completed",
    completed_at: envelope.completedAt?.toISOString() ?? null,
    document_url: presented[0]?.document_url ?? null,
    hash_sha256: presented[0]?.hash_sha256 ?? null,
    hash_md5: presented[0]?.hash_md5 ?? null,
    signers,
    certificate: await presentCertificate(deps, documents),
    ...withJournal(isCancelled ? cancelled(judgement) : judgement, journal.chain),
    warnings: warningsOfFiles(judged),
    documents: presented,
    checked_at: deps.platform.clock().toISOString(),
    purged: false,
    purged_at: null,
    cancelled: isCancelled,
    proof_only: envelope.proofOnly,
    ...journal,
    statement_keys: await statementKeys(deps),
  };
}

function cancelled(judgement: Judgement): Judgement {
  if (judgement.verdict === "invalid") return judgement;
  return {
    ...judgement,
    verdict: "indeterminate",
    reason: "L’expéditeur a annulé cette enveloppe. Le document n’est plus présenté ici.",
  };
}

async function purgedProof(deps: PrintDeps, envelopeId: string): Promise<Proof> {
  const tombstone = await loadTombstone(deps.platform.db, envelopeId);
  const journal = await proveJournal(deps.platform.db, envelopeId);
  const documents = tombstone.hashes.map(({ sha256 }) => ({
    name: null,
    hash_sha256: Buffer.from(sha256).toString("hex"),
    hash_md5: null,
    document_url: null,
    page_count: null,
  }));
  return {
    title: null,
    completed: tombstone.completedAt !== null,
    completed_at: tombstone.completedAt?.toISOString() ?? null,
    document_url: null,
    hash_sha256: documents[0]?.hash_sha256 ?? null,
    hash_md5: null,
    signers: [],
    certificate: null,
    ...withJournal(PURGED, journal.chain),
    warnings: [],
    documents,
    checked_at: deps.platform.clock().toISOString(),
    purged: true,
    purged_at: tombstone.purgedAt?.toISOString() ?? null,
    cancelled: false,
    proof_only: false,
    ...journal,
    statement_keys: await statementKeys(deps),
  };
}

const PURGED: Judgement = {
  verdict: "indeterminate",
  integrity: false,
  level: null,
  reason: "Le propriétaire a supprimé ce document. Seules ses empreintes et ses dates restent : comparez-les avec votre exemplaire.",
};

/** By what the statement of a printed page is checked (`packages/proof`). */
async function statementKeys({ trust }: PrintDeps): Promise<Proof["statement_keys"]> {
  return (await trust.seals()).map((der) => Buffer.from(parseCertificate(der).subjectPublicKey).toString("base64"));
}

/** A person has signed when a signature of theirs stands in every document; the time is the time-stamp's. */
function presentSigner(recipient: EnvelopeRecipient, documents: readonly ValidatedDocument[]): Proof["signers"][number] {
  const own = documents.map((document) => document.found.find((found) => found.recorded.recipientId === recipient.id));
  const times = own.flatMap((found) => (found?.report.timestamp ? [found.report.timestamp.time.getTime()] : []));
  const isComplete = own.length > 0 && own.every((found) => found !== undefined && found.report.indication !== "TOTAL_FAILED");
  const [named] = own.flatMap((found) => (found?.report.certificate ? [found.report.certificate] : []));
  return {
    full_name: isComplete && named !== undefined ? nameIn(named, recipient.fullName) : recipient.fullName,
    signed: isComplete,
    signed_at: isComplete && times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
  };
}

function isShown(document: ValidatedDocument): boolean {
  return isSigned(document.document) && document.judged.isStored && document.judged.isNamed;
}

/**
 * The name that a person's certificate bears, in full where the row has the rest of it; the organisation's, which bears nobody's address, names nobody.
 * Source: RFC 5280, appendix A.1 (ub-common-name).
 */
function nameIn({ subject, emails }: NonNullable<SignatureReport["certificate"]>, written: string): string {
  const isTheirs = emails.length === 0 || [...written].slice(0, MAX_COMMON_NAME).join("") === subject.commonName;
  return isTheirs ? written : subject.commonName;
}

function documentUrl(print: PrintRow, sig: string | null, documentId: string | null): string {
  return printUrl(print.id, "document", { ...(sig === null ? {} : { sig }), ...(documentId === null ? {} : { document: documentId }) });
}
