import type { Proof } from "@paraphe/contracts";
import { isSigned } from "../../documents/public.ts";
import type { EnvelopeAggregate } from "../../envelopes/public.ts";
import { type Judgement, judgeProof } from "./domain/judge-proof.ts";
import { warningsOfFiles } from "./domain/signature-warnings.ts";
import { withJournal } from "./domain/with-journal.ts";
import { holdEnvelope, holdPrintRow, keptHashes } from "./hold-envelope.ts";
import { type CertificateCard, NO_CARD, presentCertificate } from "./present-certificate.ts";
import { printUrl } from "./present-print.ts";
import { presentSigners } from "./present-signers.ts";
import type { PrintDeps } from "./print-deps.ts";
import { proveJournal } from "./prove-journal.ts";
import { statementKeys } from "./statement-keys.ts";
import { readWhole, type WholeEnvelope } from "./read-whole.ts";
import type { PrintRow } from "./store.ts";
import { type ValidatedDocument, validateWhole } from "./validate-envelope.ts";

/** A print to be proven. `sig` goes into the addresses of the answer; the owner's session asks without one. */
export type PrintToProve = { readonly print: PrintRow; readonly sig: string | null };
/** An envelope to be proven, behind a print or, for its owner, behind none. */
export type EnvelopeToProve = PrintToProve | { readonly print: null; readonly envelopeId: string; readonly sig: null };

export const envelopeIdOf = (request: EnvelopeToProve): string => (request.print === null ? request.envelopeId : request.print.envelopeId);

/** Gives the proof of a print: everything in it comes from the stored files, validated now, and from the journal (contract §6). */
export async function buildProof(deps: PrintDeps, request: PrintToProve): Promise<Proof> {
  return (await proveFiles(deps, request)).proof;
}

/** A proof, all that it was read from, and the files as they were validated: none once the envelope is purged. */
export type ProvenFiles = {
  readonly proof: Proof;
  readonly documents: readonly ValidatedDocument[];
  readonly whole: WholeEnvelope;
  readonly card: CertificateCard;
};

export async function proveFiles(deps: PrintDeps, request: EnvelopeToProve): Promise<ProvenFiles> {
  const whole = await readWhole(deps.platform.db, envelopeIdOf(request));
  const documents = await validateWhole(deps, whole);
  const { aggregate } = whole;
  if (aggregate === null) return { proof: await purgedProof(deps, whole, request.print), documents, whole, card: NO_CARD };
  const card = await presentCertificate(deps, documents);
  return { proof: await presentProof(deps, { ...request, whole, aggregate, documents, card }), documents, whole, card };
}

type ValidatedPrint = Pick<EnvelopeToProve, "print" | "sig"> & {
  readonly whole: WholeEnvelope;
  readonly aggregate: EnvelopeAggregate;
  readonly documents: readonly ValidatedDocument[];
  readonly card: CertificateCard;
};

async function presentProof(deps: PrintDeps, { print, sig, whole, aggregate, documents, card }: ValidatedPrint): Promise<Proof> {
  const { envelope } = aggregate;
  const { facts, chain } = whole;
  const judged = documents.map((document) => document.judged);
  const isCancelled = envelope.status === "cancelled";
  // Its owner, who asks without a sig, sees the document all the same.
  const proofOnly = (chain.intact ? facts.proofOnly : null) ?? envelope.proofOnly;
  const isWithheld = isCancelled || (proofOnly && sig !== null);
  const signers = presentSigners({ whole, aggregate, documents, withheld: sig !== null && (proofOnly || isCancelled) });
  const judgement = judgeProof(judged, signers.filter((signer) => !signer.signed).length);
  const { isLogSound, isLate, ...journal } = await proveJournal(deps, whole);
  const findings = { chain, faults: faultsOf({ print, whole, aggregate, documents }), closed: facts.closed, isLogSound, isLate };
  const presented = documents.map((document) => ({
    name: facts.documentNames.get(document.document.id) ?? document.document.name,
    hash_sha256: Buffer.from(document.sha256).toString("hex"),
    hash_md5: document.md5,
    document_url:
      print === null || isWithheld || !isShown(document)
        ? null
        : documentUrl(print, sig, documents.length === 1 ? null : document.document.id),
    page_count: document.pageCount ?? document.document.pageCount,
  }));
  return {
    title: facts.title ?? envelope.title,
    completed: chain.intact ? facts.state === "completed" : envelope.status === "completed",
    completed_at: chain.intact ? facts.completedAt : (envelope.completedAt?.toISOString() ?? null),
    document_url: presented[0]?.document_url ?? null,
    hash_sha256: presented[0]?.hash_sha256 ?? null,
    hash_md5: presented[0]?.hash_md5 ?? null,
    signers,
    certificate: card.shown,
    ...withJournal(ended(judgement, envelope, deps.platform.clock()), findings),
    warnings: [...warningsOfFiles(judged), ...(facts.isTitled || facts.state === "draft" ? [] : [UNTITLED])],
    documents: presented,
    checked_at: deps.platform.clock().toISOString(),
    purged: false,
    purged_at: null,
    cancelled: isCancelled,
    declined: envelope.status === "declined",
    expired: (chain.intact ? facts.state : envelope.status) === "expired",
    proof_only: proofOnly,
    ...journal,
    ...(await statementKeys(deps)),
  };
}

/** Where the rows, or the files themselves, say otherwise than the journal. */
function faultsOf({ print, whole, aggregate, documents }: Pick<ValidatedPrint, "print" | "whole" | "aggregate" | "documents">) {
  const { proofOnly } = whole.facts;
  return [
    ...holdEnvelope(whole),
    ...holdPrintRow(whole.facts, print),
    ...documents.flatMap(({ faults }) => faults),
    ...(proofOnly === null || proofOnly === aggregate.envelope.proofOnly
      ? []
      : ["L’historique et la base ne disent pas la même chose de ce que la page publique montre."]),
  ];
}

/** Of journals that were begun before these were committed to. */
const UNTITLED = "L’historique de cette enveloppe n’engage ni son titre ni les noms de ses documents\u00a0: ils ne sont pas vérifiés.";

/** What nothing more will come of is never said to wait; nor what nobody may sign any more, and is to be closed within the minute. */
function ended(judgement: Judgement, { status, deadlineAt }: EnvelopeAggregate["envelope"], now: Date): Judgement {
  const isOverdue = (status === "sent" || status === "pending") && deadlineAt !== null && deadlineAt <= now;
  const reason = isOverdue ? OVERDUE : ENDED[status];
  return reason === undefined || judgement.verdict === "invalid" ? judgement : { ...judgement, verdict: "indeterminate", reason };
}

const ENDED: Readonly<Partial<Record<EnvelopeAggregate["envelope"]["status"], string>>> = {
  cancelled: "L’expéditeur a annulé cette enveloppe. Le document n’est plus présenté ici.",
  declined: "Un destinataire a refusé de signer\u00a0: cette enveloppe ne sera pas complétée.",
  expired: "L’échéance est passée avant que tous aient signé\u00a0: cette enveloppe a expiré.",
};

const OVERDUE =
  "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer, et cette enveloppe est en train d’être close.";

async function purgedProof(deps: PrintDeps, whole: WholeEnvelope, print: PrintRow | null): Promise<Proof> {
  const { facts, chain } = whole;
  const { isLogSound, isLate: _late, ...journal } = await proveJournal(deps, whole);
  const { completedAt, purgedAt } = chain.intact ? facts : datesOf(whole.tombstone);
  const documents = keptHashes(whole).map(({ sha256 }) => ({
    name: null,
    hash_sha256: sha256,
    hash_md5: null,
    document_url: null,
    page_count: null,
  }));
  return {
    title: null,
    completed: completedAt !== null,
    completed_at: completedAt,
    document_url: null,
    hash_sha256: documents[0]?.hash_sha256 ?? null,
    hash_md5: null,
    signers: [],
    certificate: null,
    ...withJournal(PURGED, { chain, faults: [...holdEnvelope(whole), ...holdPrintRow(facts, print)], closed: [], isLogSound }),
    warnings: [],
    documents,
    checked_at: deps.platform.clock().toISOString(),
    purged: true,
    purged_at: purgedAt,
    cancelled: false,
    declined: false,
    expired: false,
    proof_only: false,
    ...journal,
    ...(await statementKeys(deps)),
  };
}

function datesOf({ completedAt, purgedAt }: WholeEnvelope["tombstone"]) {
  return { completedAt: completedAt?.toISOString() ?? null, purgedAt: purgedAt?.toISOString() ?? null };
}

const PURGED: Judgement = {
  verdict: "indeterminate",
  integrity: false,
  level: null,
  reason: "Le propriétaire a supprimé ce document. Seules ses empreintes et ses dates restent : comparez-les avec votre exemplaire.",
};

function isShown(document: ValidatedDocument): boolean {
  return isSigned(document.document) && document.judged.isStored && document.judged.isNamed;
}

function documentUrl(print: PrintRow, sig: string | null, documentId: string | null): string {
  return printUrl(print.id, "document", { ...(sig === null ? {} : { sig }), ...(documentId === null ? {} : { document: documentId }) });
}
