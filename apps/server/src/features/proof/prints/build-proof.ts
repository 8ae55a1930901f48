import type { Inclusion, Proof } from "@paraphe/contracts";
import { fromHex } from "@paraphe/kernel/bytes";
import type { SignatureReport } from "@paraphe/pades";
import {
  parseCertificate,
  parseCrl,
  parseOcspResponse,
  validateCertificate,
} from "@paraphe/pades/parts";
import type { Reach, Sent } from "@paraphe/proof";
import { isEndLogged, verifyInclusion, verifyTrustedCheckpoint } from "@paraphe/proof/parts";
import { isSigned } from "../../documents/public.ts";
import { type EnvelopeAggregate, mustSign } from "../../envelopes/public.ts";
import { leafOf, wasLeftOut } from "../../journal/public.ts";
import type { PublishedCrl } from "../../trust/public.ts";
import { type Judgement, judgeProof, warningsOfFiles, withJournal } from "./domain/judge-proof.ts";
import { holdEnvelope, holdPrintRow, keptHashes } from "./hold-envelope.ts";
import { printUrl } from "./open-print.ts";
import type { PrintDeps } from "./print-deps.ts";
import { readWhole, type WholeEnvelope } from "./read-whole.ts";
import type { PrintRow, RecordedSignature } from "./store.ts";
import { type FoundSignature, type ValidatedDocument, validateWhole } from "./validate-envelope.ts";

/**
 * Gives the keys by which the statement of a printed page is checked (`packages/proof`), those of revoked seals apart: a statement bears no time but its own word, so that
 * nothing proves that one was signed before the revocation, whatever its reason.
 * Source: EN 319 102-1 §5.2.6.4, REVOKED_NO_POE.
 */
async function statementKeys({
  platform,
  trust,
}: PrintDeps): Promise<Required<Pick<Proof, "statement_keys" | "revoked_statement_keys">>> {
  const evidence = await trust.currentEvidence();
  const keys: string[] = [];
  const revoked: string[] = [];
  for (const der of await trust.seals()) {
    const key = Buffer.from(parseCertificate(der).subjectPublicKey).toString("base64");
    const { subIndication } = await validateCertificate(der, {
      evidence,
      trustedFor: "signers",
      now: platform.clock(),
      provenAt: null,
    });
    (subIndication === "REVOKED_NO_POE" ? revoked : keys).push(key);
  }
  return { statement_keys: keys, revoked_statement_keys: revoked };
}

/** A certificate's card, and the answer and the list (DER) that it was read from: whoever checks it holds the one against the other. */
export type CertificateCard = {
  readonly shown: Proof["certificate"];
  /** The certificate itself (DER). */
  readonly of: Uint8Array | null;
  readonly ocsp: Uint8Array | null;
  readonly crl: Uint8Array | null;
};

const NO_CARD: CertificateCard = { shown: null, of: null, ocsp: null, crl: null };

/** The last signature's certificate, and what our own responder and list say of it now. */
async function presentCertificate(
  deps: PrintDeps,
  documents: readonly ValidatedDocument[],
): Promise<CertificateCard> {
  const last = latest(documents.flatMap((document) => document.found));
  if (last === null) return NO_CARD;
  const answer = await deps.trust.ocsp(last.recorded.certificateDer);
  const list = await deps.trust.crlAbout(last.recorded.certificateDer);
  return {
    shown: presentCard(last, { answer, list }),
    of: last.recorded.certificateDer,
    ocsp: answer,
    crl: list?.der ?? null,
  };
}

type Answers = { readonly answer: Uint8Array | null; readonly list: PublishedCrl | null };

function presentCard(
  { report, recorded }: FoundSignature,
  { answer, list }: Answers,
): NonNullable<Proof["certificate"]> {
  const certificate = parseCertificate(recorded.certificateDer);
  const ocsp = answer === null ? null : (parseOcspResponse(answer)?.answers[0] ?? null);
  const listed = listedStatus(list, recorded);
  return {
    subject: {
      CN: certificate.subject.commonName,
      O: certificate.subject.organization ?? null,
      C: certificate.subject.country ?? null,
    },
    serial_number: recorded.serialNumber,
    valid_from: certificate.notBefore.toISOString(),
    valid_to: certificate.notAfter.toISOString(),
    revocation: {
      ocsp_status: ocsp?.status ?? null,
      ocsp_url: certificate.ocspUrls[0] ?? null,
      crl_status: listed?.status ?? null,
      crl_url: certificate.crlUrls[0] ?? null,
      ocsp_at: ocsp?.thisUpdate.toISOString() ?? null,
      crl_at: listed?.at.toISOString() ?? null,
    },
    timestamp:
      report.timestamp === null
        ? null
        : { time: report.timestamp.time.toISOString(), tsa: report.timestamp.authorityName },
    issuers: [...report.issuerNames],
    hash_algorithm: report.hashAlgorithm,
    valid_at_signing: AT_SIGNING[report.indication],
  };
}

/** What was not valid at the moment of the signature is not passed, whatever time has brought since (EN 319 102-1 §5.5). */
const AT_SIGNING = { TOTAL_PASSED: true, INDETERMINATE: null, TOTAL_FAILED: false } as const;

/** What the list of the certificate's own issuer says, and since when; null when no list of ours speaks for it. */
function listedStatus(
  list: PublishedCrl | null,
  recorded: RecordedSignature,
): { readonly status: "good" | "revoked"; readonly at: Date } | null {
  if (list === null) return null;
  const { revoked, thisUpdate } = parseCrl(list.der);
  const serial = BigInt(`0x${recorded.serialNumber}`);
  const isListed = [...revoked.keys()].some((listed) => BigInt(`0x${listed}`) === serial);
  return { status: isListed ? "revoked" : "good", at: thisUpdate };
}

function latest(found: readonly FoundSignature[]): FoundSignature | null {
  const timeOf = ({ report }: FoundSignature) => report.timestamp?.time.getTime() ?? 0;
  return found.reduce<FoundSignature | null>(
    (best, next) => (best === null || timeOf(next) >= timeOf(best) ? next : best),
    null,
  );
}

/** X.520 upper bound of a common name, in characters. Source: RFC 5280, appendix A.1, ub-common-name. */
const MAX_COMMON_NAME = 64;

type SignedEnvelope = {
  readonly whole: WholeEnvelope;
  readonly aggregate: EnvelopeAggregate;
  readonly documents: readonly ValidatedDocument[];
  /** Whether nobody's address is shown, masked as it may be (`proof_only`). */
  readonly withheld: boolean;
};

/** Gives those who must sign, whatever became of their rows: as the journal has them, and as the files show that they signed. */
function presentSigners({
  whole,
  aggregate,
  documents,
  withheld,
}: SignedEnvelope): Proof["signers"] {
  const { facts, chain } = whole;
  const rows = aggregate.recipients.filter(mustSign);
  const stored = rows.map(({ id }) => id);
  const made = facts.signatures.map(({ recipient }) => recipient);
  const known = facts.signers === null ? made.concat(stored) : facts.signers;
  // In the order of the rows, where they are all there.
  const ids = chain.intact
    ? [...stored.filter((id) => known.includes(id)), ...known.filter((id) => !stored.includes(id))]
    : stored;
  return [...new Set(ids)].map((id) => {
    const made = chain.intact
      ? facts.signatures.find(({ recipient }) => recipient === id)
      : undefined;
    const name = made?.name ?? facts.names.get(id) ?? null;
    const written = rows.find((row) => row.id === id)?.fullName ?? "Nom effacé";
    const reach = made?.reach ?? null;
    return {
      ...presentSigner({ id, name: chain.intact ? name : null, written }, documents),
      ...(made === undefined ? {} : { reach: presentReach(reach, withheld) }),
    };
  });
}

type Signer = { readonly id: string; readonly name: string | null; readonly written: string };

function presentReach(reach: Reach | null, withheld: boolean): Proof["signers"][number]["reach"] {
  if (reach === null) return null;
  const shown = (sent: Sent | null) =>
    sent === null ? null : { ...sent, destination: withheld ? null : sent.destination };
  return {
    by: reach.by,
    link: shown(reach.link),
    code: shown(reach.code),
    confirmed: [...reach.confirmed],
  };
}

/** A person has signed when a signature of theirs stands in every document; the time is the time-stamp's. */
function presentSigner(
  { id, name, written }: Signer,
  documents: readonly ValidatedDocument[],
): Proof["signers"][number] {
  const own = documents.map((document) => reportOf(document, id));
  const times = own.flatMap((report) =>
    report?.timestamp ? [report.timestamp.time.getTime()] : [],
  );
  const isComplete =
    own.length > 0 &&
    own.every((report) => report !== undefined && report.indication !== "TOTAL_FAILED");
  const [certificate] = own.flatMap((report) => (report?.certificate ? [report.certificate] : []));
  return {
    full_name:
      name ?? (isComplete && certificate !== undefined ? nameIn(certificate, written) : written),
    signed: isComplete,
    signed_at: isComplete && times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
  };
}

function reportOf({ named, found }: ValidatedDocument, id: string): SignatureReport | undefined {
  return (
    named.find(({ made, report }) => made.recipient === id && report !== undefined)?.report ??
    found.find(({ recorded }) => recorded.recipientId === id)?.report
  );
}

/** The name that a person's certificate bears, in full where the row has the rest of it; the organisation's, issued under no policy of signers', names nobody. */
function nameIn(
  { subject, policyOids }: NonNullable<SignatureReport["certificate"]>,
  written: string,
): string {
  const isTheirs =
    policyOids.length === 0 ||
    [...written].slice(0, MAX_COMMON_NAME).join("") === subject.commonName;
  return isTheirs ? written : subject.commonName;
}

/**
 * Says whether an inclusion proves what it says: its entry leads to the checkpoint's root, and the checkpoint is signed by a seal of this service that was not revoked, at a time that
 * an authority known here vouches for.
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
  // The seal says whose log it is. The name in the checkpoint may be a former address of the service.
  if (!verdict.ok) return false;
  return (await trust.seals()).some((der) => Buffer.compare(der, verdict.facts.seal.der) === 0);
}

/**
 * An envelope's journal as the public page shows it. `isLogSound`: what is told of the log was recomputed and holds; `isLate`: the log should hold the
 * completion by now, and does not, or has it from long after.
 */
type ProvenJournal = Pick<Proof, "chain" | "inclusion" | "completion_logged"> & {
  readonly isLogSound: boolean;
  readonly isLate: boolean;
};

/** The log takes what is new every hour; as long again for an authority that is away. Units: milliseconds. */
const LOGGED_WITHIN_MS = 2 * 3_600_000;

type JournalOf = Pick<WholeEnvelope, "id" | "chain" | "inclusion" | "facts">;

/** Gives an envelope's journal as it was recomputed, and checks what the public log proves of it. */
async function proveJournal(deps: PrintDeps, whole: JournalOf): Promise<ProvenJournal> {
  return {
    chain: whole.chain,
    inclusion: whole.inclusion,
    completion_logged: isEndLogged(whole, whole.facts),
    isLogSound: whole.inclusion === null || (await isLogSound(deps, whole.inclusion)),
    isLate: await isLate(deps, whole),
  };
}

/**
 * A checkpoint takes all that was written before it: one that was made long after the completion, and does not cover it, was made while that journal was not there. A log that stood
 * still made none.
 */
async function isLate(
  { platform }: PrintDeps,
  { id, facts, inclusion }: JournalOf,
): Promise<boolean> {
  const { completedAt, completedSequence } = facts;
  if (completedAt === null || completedSequence === null) return false;
  const limit = new Date(Date.parse(completedAt) + LOGGED_WITHIN_MS);
  if (platform.clock() <= limit) return false;
  if (!isEndLogged({ inclusion }, { completedSequence })) return true;
  return wasLeftOut(platform.db, { envelopeId: id, sequence: completedSequence, after: limit });
}

/** A print to be proven. `sig` goes into the addresses of the answer; the owner's session asks without one. */
export type PrintToProve = { readonly print: PrintRow; readonly sig: string | null };
/** An envelope to be proven, behind a print or, for its owner, behind none. */
export type EnvelopeToProve =
  | PrintToProve
  | { readonly print: null; readonly envelopeId: string; readonly sig: null };

const envelopeIdOf = (request: EnvelopeToProve): string =>
  request.print === null ? request.envelopeId : request.print.envelopeId;

/** Gives the proof of a print: everything in it comes from the stored files, validated now, and from the journal (contract §6). */
export async function buildProof(deps: PrintDeps, request: PrintToProve): Promise<Proof> {
  return (await proveFiles(deps, request)).proof;
}

/** A proof, all that it was read from, and the files as they were validated: none once the envelope is purged. */
type ProvenFiles = {
  readonly proof: Proof;
  readonly documents: readonly ValidatedDocument[];
  readonly whole: WholeEnvelope;
  readonly card: CertificateCard;
};

export async function proveFiles(deps: PrintDeps, request: EnvelopeToProve): Promise<ProvenFiles> {
  const whole = await readWhole(deps.platform.db, envelopeIdOf(request));
  const documents = await validateWhole(deps, whole);
  const { aggregate } = whole;
  if (aggregate === null)
    return {
      proof: await purgedProof(deps, whole, request.print),
      documents,
      whole,
      card: NO_CARD,
    };
  const card = await presentCertificate(deps, documents);
  return {
    proof: await presentProof(deps, { ...request, whole, aggregate, documents, card }),
    documents,
    whole,
    card,
  };
}

type ValidatedPrint = Pick<EnvelopeToProve, "print" | "sig"> & {
  readonly whole: WholeEnvelope;
  readonly aggregate: EnvelopeAggregate;
  readonly documents: readonly ValidatedDocument[];
  readonly card: CertificateCard;
};

async function presentProof(
  deps: PrintDeps,
  { print, sig, whole, aggregate, documents, card }: ValidatedPrint,
): Promise<Proof> {
  const { envelope } = aggregate;
  const { facts, chain } = whole;
  const judged = documents.map((document) => document.judged);
  const isCancelled = envelope.status === "cancelled";
  // Its owner, who asks without a sig, sees the document all the same.
  const proofOnly = (chain.intact ? facts.proofOnly : null) ?? envelope.proofOnly;
  const isWithheld = isCancelled || (proofOnly && sig !== null);
  const signers = presentSigners({
    whole,
    aggregate,
    documents,
    withheld: sig !== null && (proofOnly || isCancelled),
  });
  const judgement = judgeProof(judged, signers.filter((signer) => !signer.signed).length);
  const { isLogSound, isLate, ...journal } = await proveJournal(deps, whole);
  const findings = {
    chain,
    faults: faultsOf({ print, whole, aggregate, documents }),
    closed: facts.closed,
    isLogSound,
    isLate,
  };
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
    warnings: [
      ...warningsOfFiles(judged),
      ...(facts.isTitled || facts.state === "draft" ? [] : [UNTITLED]),
    ],
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
function faultsOf({
  print,
  whole,
  aggregate,
  documents,
}: Pick<ValidatedPrint, "print" | "whole" | "aggregate" | "documents">) {
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
const UNTITLED =
  "L’historique de cette enveloppe n’engage ni son titre ni les noms de ses documents\u00a0: ils ne sont pas vérifiés.";

/** What nothing more will come of is never said to wait; nor what nobody may sign any more, and is to be closed within the minute. */
function ended(
  judgement: Judgement,
  { status, deadlineAt }: EnvelopeAggregate["envelope"],
  now: Date,
): Judgement {
  const isOverdue =
    (status === "sent" || status === "pending") && deadlineAt !== null && deadlineAt <= now;
  const reason = isOverdue ? OVERDUE : ENDED[status];
  return reason === undefined || judgement.verdict === "invalid"
    ? judgement
    : { ...judgement, verdict: "indeterminate", reason };
}

const ENDED: Readonly<Partial<Record<EnvelopeAggregate["envelope"]["status"], string>>> = {
  cancelled: "L’expéditeur a annulé cette enveloppe. Le document n’est plus présenté ici.",
  declined: "Un destinataire a refusé de signer\u00a0: cette enveloppe ne sera pas complétée.",
  expired: "L’échéance est passée avant que tous aient signé\u00a0: cette enveloppe a expiré.",
};

const OVERDUE =
  "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer, et cette enveloppe est en train d’être close.";

async function purgedProof(
  deps: PrintDeps,
  whole: WholeEnvelope,
  print: PrintRow | null,
): Promise<Proof> {
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
    ...withJournal(PURGED, {
      chain,
      faults: [...holdEnvelope(whole), ...holdPrintRow(facts, print)],
      closed: [],
      isLogSound,
    }),
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
  return {
    completedAt: completedAt?.toISOString() ?? null,
    purgedAt: purgedAt?.toISOString() ?? null,
  };
}

const PURGED: Judgement = {
  verdict: "indeterminate",
  integrity: false,
  level: null,
  reason:
    "Le propriétaire a supprimé ce document. Seules ses empreintes et ses dates restent : comparez-les avec votre exemplaire.",
};

function isShown(document: ValidatedDocument): boolean {
  return isSigned(document.document) && document.judged.isStored && document.judged.isNamed;
}

function documentUrl(print: PrintRow, sig: string | null, documentId: string | null): string {
  return printUrl(print.id, "document", {
    ...(sig === null ? {} : { sig }),
    ...(documentId === null ? {} : { document: documentId }),
  });
}
