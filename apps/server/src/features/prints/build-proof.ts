import { parseCertificate, parseCrl, parseOcspResponse } from "@paraphe/pades";
import type { Proof } from "@paraphe/contracts";
import { isSigned } from "../documents/index.ts";
import { type EnvelopeAggregate, type EnvelopeRecipient, loadEnvelope, mustSign } from "../envelopes/index.ts";
import { judgeProof } from "./domain/judge-proof.ts";
import { warningsOfFiles } from "./domain/signature-warnings.ts";
import { printUrl } from "./present-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import { loadTombstone, type PrintRow, type RecordedSignature } from "./store.ts";
import { type FoundSignature, type ValidatedDocument, validateEnvelope } from "./validate-envelope.ts";

/** A print to be proven. `sig` goes into the addresses of the answer; the owner's session asks without one. */
export type PrintToProve = { readonly print: PrintRow; readonly sig: string | null };

/** Gives the proof of a print: everything in it comes from the stored files, validated now (contract §6). */
export async function buildProof(deps: PrintDeps, request: PrintToProve): Promise<Proof> {
  return (await proveFiles(deps, request)).proof;
}

/** The same, with the files that it was read from: none once the envelope is purged. */
export async function proveFiles(
  deps: PrintDeps,
  request: PrintToProve,
): Promise<{ readonly proof: Proof; readonly documents: readonly ValidatedDocument[] }> {
  const aggregate = await loadEnvelope(deps.platform.db, request.print.envelopeId);
  if (aggregate === null) return { proof: await purgedProof(deps, request.print), documents: [] };
  const documents = await validateEnvelope(deps, aggregate);
  return { proof: await presentProof(deps, { ...request, aggregate, documents }), documents };
}

type ValidatedPrint = PrintToProve & { readonly aggregate: EnvelopeAggregate; readonly documents: readonly ValidatedDocument[] };

async function presentProof(deps: PrintDeps, { print, sig, aggregate, documents }: ValidatedPrint): Promise<Proof> {
  const { envelope } = aggregate;
  const signers = aggregate.recipients.filter(mustSign).map((recipient) => presentSigner(recipient, documents));
  const judged = documents.map((document) => document.judged);
  const judgement = judgeProof(judged, signers.filter((signer) => !signer.signed).length);
  const isCancelled = envelope.status === "cancelled";
  const presented = documents.map((document) => ({
    name: document.document.name,
    hash_sha256: Buffer.from(document.sha256).toString("hex"),
    hash_md5: document.md5,
    document_url: isCancelled || !isShown(document) ? null : documentUrl(print, sig, documents.length === 1 ? null : document.document.id),
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
    ...judgement,
    ...(isCancelled && judgement.verdict !== "invalid"
      ? { verdict: "indeterminate" as const, reason: "L’expéditeur a annulé cette enveloppe. Le document n’est plus présenté ici." }
      : {}),
    warnings: warningsOfFiles(judged),
    documents: presented,
    checked_at: deps.platform.clock().toISOString(),
    purged: false,
  };
}

async function purgedProof(deps: PrintDeps, print: PrintRow): Promise<Proof> {
  const tombstone = await loadTombstone(deps.platform.db, print.envelopeId);
  const documents = tombstone.hashes.map(({ sha256 }) => ({
    name: null,
    hash_sha256: Buffer.from(sha256).toString("hex"),
    hash_md5: null,
    document_url: null,
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
    verdict: "indeterminate",
    reason: "Le propriétaire a supprimé ce document. Seules ses empreintes et ses dates restent : comparez-les avec votre exemplaire.",
    warnings: [],
    integrity: false,
    level: null,
    documents,
    checked_at: deps.platform.clock().toISOString(),
    purged: true,
  };
}

/** A person has signed when a signature of theirs stands in every document; the time is the time-stamp's. */
function presentSigner(recipient: EnvelopeRecipient, documents: readonly ValidatedDocument[]): Proof["signers"][number] {
  const own = documents.map((document) => document.found.find((found) => found.recorded.recipientId === recipient.id));
  const times = own.flatMap((found) => (found?.report.timestamp ? [found.report.timestamp.time.getTime()] : []));
  const isComplete = own.length > 0 && own.every((found) => found !== undefined && found.report.indication !== "TOTAL_FAILED");
  return {
    full_name: recipient.fullName,
    signed: isComplete,
    signed_at: isComplete && times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
  };
}

function isShown(document: ValidatedDocument): boolean {
  return isSigned(document.document) && document.judged.isStored;
}

function documentUrl(print: PrintRow, sig: string | null, documentId: string | null): string {
  return printUrl(print.id, "document", { ...(sig === null ? {} : { sig }), ...(documentId === null ? {} : { document: documentId }) });
}

/** The last signature's certificate, and what our own responder and list say of it now. */
async function presentCertificate(deps: PrintDeps, documents: readonly ValidatedDocument[]): Promise<Proof["certificate"]> {
  const last = latest(documents.flatMap((document) => document.found));
  if (last === null) return null;
  const { report, recorded } = last;
  const certificate = parseCertificate(recorded.certificateDer);
  const answer = await deps.trust.ocsp(recorded.certificateDer);
  const ocsp = answer === null ? null : (parseOcspResponse(answer)?.answers[0]?.status ?? null);
  return {
    subject: { CN: certificate.subject.commonName, O: certificate.subject.organization ?? null, C: certificate.subject.country ?? null },
    serial_number: recorded.serialNumber,
    valid_from: certificate.notBefore.toISOString(),
    valid_to: certificate.notAfter.toISOString(),
    revocation: {
      ocsp_status: ocsp,
      ocsp_url: certificate.ocspUrls[0] ?? null,
      crl_status: await listedStatus(deps, recorded),
      crl_url: certificate.crlUrls[0] ?? null,
    },
    timestamp: report.timestamp === null ? null : { time: report.timestamp.time.toISOString(), tsa: report.timestamp.authorityName },
  };
}

/** What the list of the certificate's own issuer says; null when no list of ours speaks for it. */
async function listedStatus(deps: PrintDeps, recorded: RecordedSignature): Promise<"good" | "revoked" | null> {
  const list = await deps.trust.crlAbout(recorded.certificateDer);
  if (list === null) return null;
  const serial = BigInt(`0x${recorded.serialNumber}`);
  return [...parseCrl(list.der).revoked.keys()].some((listed) => BigInt(`0x${listed}`) === serial) ? "revoked" : "good";
}

function latest(found: readonly FoundSignature[]): FoundSignature | null {
  const timeOf = ({ report }: FoundSignature) => report.timestamp?.time.getTime() ?? 0;
  return found.reduce<FoundSignature | null>((best, next) => (best === null || timeOf(next) >= timeOf(best) ? next : best), null);
}
