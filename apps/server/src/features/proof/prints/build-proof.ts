import { createHash } from "node:crypto";
import { toBase64 } from "@paraphe/kernel/bytes";
import {
  type Proof,
  failure,
  problem,
  type Result,
  type Signature,
  success,
} from "@paraphe/contracts";
import type { SignatureReport } from "@paraphe/pades";
import {
  parseCertificate,
  parseCrl,
  parseOcspResponse,
  validateCertificate,
} from "@paraphe/pades/parts";
import {
  type EnvelopeState,
  fileOf,
  type JournalFacts,
  type Reach,
  type Sent,
  signerInWords,
  visasOf,
  type NamedSignature,
} from "@paraphe/proof/parts";
import type { Platform } from "../../../platform/platform.ts";
import { type PublishedCrl, signPrint, loadIssuedCertificates } from "../../trust/public.ts";
import {
  envelopeVerdict,
  type Verdict,
  warningsOfFiles,
  withJournal,
  type JournalFindings,
  signatureVerdict,
} from "./domain/verdicts.ts";
import {
  type EnvelopeRecord,
  type FoundSignature,
  type PrintDeps,
  type ValidatedDocument,
  foundIn,
  proveJournal,
  readRecord,
  validateRecord,
} from "./read-record.ts";
import type { MadePrint, PrintRow } from "./store.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { loadEnvelope, viewerOf } from "../../envelopes/public.ts";

/**
 * Leaves out revoked seals: nothing else proves that a statement came before (EN 319 102-1
 * §5.2.6.4, REVOKED_NO_POE).
 */
async function statementKeys({
  platform,
  trust,
}: PrintDeps): Promise<Required<Pick<Proof, "statement_keys" | "revoked_statement_keys">>> {
  const evidence = await trust.currentEvidence();
  const keys: string[] = [];
  const revoked: string[] = [];
  for (const der of await trust.seals()) {
    const key = toBase64(parseCertificate(der).subjectPublicKey);
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

/** A certificate with its OCSP answer and CRL (DER). */
export type CertificateCard = {
  readonly shown: Proof["certificate"];
  readonly of: Uint8Array | null;
  readonly ocsp: Uint8Array | null;
  readonly crl: Uint8Array | null;
};

const NO_CARD: CertificateCard = { shown: null, of: null, ocsp: null, crl: null };

/** Shows the last signature's, with current OCSP and CRL status. */
async function presentCertificate(
  { trust }: PrintDeps,
  documents: readonly ValidatedDocument[],
): Promise<CertificateCard> {
  const timeOf = ({ report }: FoundSignature) => report.timestamp?.time.getTime() ?? 0;
  const last = foundIn(documents)
    .toSorted((one, other) => timeOf(one) - timeOf(other))
    .at(-1);
  if (last === undefined) return NO_CARD;
  const { der } = last.certificate;
  const answer = await trust.ocsp(der);
  const list = await trust.crlAbout(der);
  return {
    shown: presentCard(last, { answer, list }),
    of: der,
    ocsp: answer,
    crl: list?.der ?? null,
  };
}

type Answers = { readonly answer: Uint8Array | null; readonly list: PublishedCrl | null };

function presentCard(
  { report, made, certificate: { der } }: FoundSignature,
  { answer, list }: Answers,
): NonNullable<Proof["certificate"]> {
  const certificate = parseCertificate(der);
  const ocsp = answer === null ? null : (parseOcspResponse(answer)?.answers[0] ?? null);
  const listed = listedStatus(list, made.serial);
  return {
    subject: {
      CN: certificate.subject.commonName,
      O: certificate.subject.organization ?? null,
      C: certificate.subject.country ?? null,
    },
    serial_number: made.serial,
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

/** What was invalid at signing stays invalid (EN 319 102-1 §5.5). */
const AT_SIGNING = { TOTAL_PASSED: true, INDETERMINATE: null, TOTAL_FAILED: false } as const;

function listedStatus(
  list: PublishedCrl | null,
  serialNumber: string,
): { readonly status: "good" | "revoked"; readonly at: Date } | null {
  if (list === null) return null;
  const { revoked, thisUpdate } = parseCrl(list.der);
  const serial = BigInt(`0x${serialNumber}`);
  const isListed = [...revoked.keys()].some((listed) => BigInt(`0x${listed}`) === serial);
  return { status: isListed ? "revoked" : "good", at: thisUpdate };
}

function presentSigners(
  facts: JournalFacts,
  documents: readonly ValidatedDocument[],
  { isHidden }: { readonly isHidden: boolean },
): Proof["signers"] {
  return facts.signers.map((id) => {
    const made = facts.signatures.find(({ recipient }) => recipient === id);
    const reports = documents.map(
      ({ named }) => named.find((one) => one.made.recipient === id)?.report,
    );
    return {
      ...presentSigner((made && signerInWords(made)) ?? facts.names.get(id) ?? null, reports),
      ...(made === undefined ? {} : { reach: presentReach(made.reach, isHidden) }),
    };
  });
}

function presentReach(reach: Reach | null, isHidden: boolean): Proof["signers"][number]["reach"] {
  if (reach === null) return null;
  const shown = (sent: Sent | null) =>
    sent === null ? null : { ...sent, destination: isHidden ? null : sent.destination };
  return {
    by: reach.by,
    link: shown(reach.link),
    code: shown(reach.code),
    confirmed: [...reach.confirmed],
  };
}

/** A person has signed once all documents are; the time-stamp says when. */
function presentSigner(
  name: string | null,
  reports: readonly (SignatureReport | undefined)[],
): Pick<Proof["signers"][number], "full_name" | "signed" | "signed_at"> {
  const signed =
    reports.length > 0 &&
    reports.every((report) => report !== undefined && report.indication !== "TOTAL_FAILED");
  const times = reports.flatMap((report) =>
    report?.timestamp ? [report.timestamp.time.getTime()] : [],
  );
  return {
    full_name: name ?? "Nom effacé",
    signed,
    signed_at: signed && times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
  };
}

const presentVisas = (facts: JournalFacts) =>
  visasOf(facts).map(({ name, at }) => ({ full_name: name ?? "Nom effacé", given_at: at }));

/** `sig` is part of the answer's addresses; null for the owner. */
export type PrintToProve = { readonly print: PrintRow; readonly sig: string | null };

export type RecordToProve = {
  readonly print: MadePrint | null;
  readonly sig: string | null;
  readonly record: EnvelopeRecord;
  readonly documents: readonly ValidatedDocument[];
};

/** Proves from the journal and stored files alone, validated now (contract §6). */
export async function buildProof(deps: PrintDeps, request: PrintToProve): Promise<Proof> {
  const record = await readRecord(deps.platform.db, request.print.envelopeId);
  return (await proveRecord(deps, await readToProve(deps, request, record))).proof;
}

export async function readToProve(
  deps: PrintDeps,
  { print, sig }: PrintToProve,
  record: EnvelopeRecord,
): Promise<RecordToProve> {
  const documents = record.facts.purgedAt === null ? await validateRecord(deps, record) : [];
  return { print, sig, record, documents };
}

export async function proveRecord(
  deps: PrintDeps,
  request: RecordToProve,
): Promise<{ readonly proof: Proof; readonly card: CertificateCard }> {
  if (request.record.facts.purgedAt !== null)
    return { proof: await purgedProof(deps, request), card: NO_CARD };
  const card = await presentCertificate(deps, request.documents);
  return { proof: await presentProof(deps, { ...request, card }), card };
}

async function presentProof(
  deps: PrintDeps,
  request: RecordToProve & { readonly card: CertificateCard },
): Promise<Proof> {
  const { print, sig, record, documents, card } = request;
  const { facts } = record;
  const now = deps.platform.clock();
  const isCancelled = facts.state === "cancelled";
  const isWithheld = isCancelled || (sig !== null && facts.proofOnly);
  const signers = presentSigners(facts, documents, {
    isHidden: sig !== null && (facts.proofOnly || isCancelled),
  });
  const checked = documents.map((document) => document.checked);
  const verdict = envelopeVerdict(checked, signers.filter(({ signed }) => !signed).length);
  const { isLogSound, isLate, ...journal } = await proveJournal(deps, record);
  const faults = [
    ...facts.faults,
    ...printFaults(facts, print),
    ...documents.flatMap((document) => document.faults),
  ];
  const presented = documents.map((document) => ({
    name: document.name,
    hash_sha256: document.sha256,
    hash_md5: document.md5,
    document_url:
      print === null || isWithheld || !isShown(document)
        ? null
        : documentUrl(print, sig, documents.length === 1 ? null : document.id),
    page_count: document.pageCount,
  }));
  return {
    title: facts.title,
    completed: facts.state === "completed",
    completed_at: facts.completedAt,
    document_url: presented[0]?.document_url ?? null,
    hash_sha256: presented[0]?.hash_sha256 ?? null,
    hash_md5: presented[0]?.hash_md5 ?? null,
    signers,
    visas: presentVisas(facts),
    certificate: card.shown,
    ...withJournal(ended(verdict, facts, now), {
      chain: record.chain,
      faults,
      closed: facts.closed,
      isLogSound,
      isLate,
    }),
    warnings: warningsOfFiles(checked),
    documents: presented,
    checked_at: now.toISOString(),
    purged: false,
    purged_at: null,
    cancelled: isCancelled,
    declined: facts.state === "declined",
    expired: facts.state === "expired",
    proof_only: facts.proofOnly,
    ...journal,
    ...(await statementKeys(deps)),
  };
}

/** A print that the envelope's journal does not know proves nothing. */
const printFaults = ({ prints }: JournalFacts, print: MadePrint | null): readonly string[] =>
  print === null || prints.has(print.id)
    ? []
    : ["L’historique de cette enveloppe ne connaît pas cette impression."];

/** The deadline has passed and no job has closed the envelope yet. */
export function isOverdue({ state, deadlineAt }: JournalFacts, now: Date): boolean {
  return (
    (state === "sent" || state === "pending") && deadlineAt !== null && new Date(deadlineAt) <= now
  );
}

/** A closed or overdue envelope is indeterminate. */
function ended(verdict: Verdict, facts: JournalFacts, now: Date): Verdict {
  const reason = isOverdue(facts, now) ? OVERDUE : ENDED[facts.state];
  return reason === undefined || verdict.verdict === "invalid"
    ? verdict
    : { ...verdict, verdict: "indeterminate", reason };
}

const ENDED: Readonly<Partial<Record<EnvelopeState, string>>> = {
  cancelled: "L’expéditeur a annulé cette enveloppe. Le document n’est plus présenté ici.",
  declined:
    "Un destinataire a refusé sa signature ou son visa\u00a0: cette enveloppe ne sera pas complétée.",
  expired: "L’échéance est passée avant que tous aient signé\u00a0: cette enveloppe a expiré.",
};

const OVERDUE =
  "L’échéance est passée avant que tous aient signé\u00a0: plus personne ne peut signer, et cette enveloppe est en train d’être close.";

async function purgedProof(deps: PrintDeps, { record, print }: RecordToProve): Promise<Proof> {
  const { facts, chain } = record;
  const { isLogSound, isLate: _late, ...journal } = await proveJournal(deps, record);
  const documents = filesOf(facts).map(({ sha256 }) => ({
    name: null,
    hash_sha256: sha256,
    hash_md5: null,
    document_url: null,
    page_count: null,
  }));
  return {
    title: null,
    completed: facts.completedAt !== null,
    completed_at: facts.completedAt,
    document_url: null,
    hash_sha256: documents[0]?.hash_sha256 ?? null,
    hash_md5: null,
    signers: [],
    certificate: null,
    ...withJournal(PURGED, {
      chain,
      faults: [...facts.faults, ...printFaults(facts, print)],
      closed: [],
      isLogSound,
    }),
    warnings: [],
    documents,
    checked_at: deps.platform.clock().toISOString(),
    purged: true,
    purged_at: facts.purgedAt,
    cancelled: false,
    declined: false,
    expired: false,
    proof_only: false,
    ...journal,
    ...(await statementKeys(deps)),
  };
}

export function filesOf(facts: JournalFacts) {
  return facts.documents.flatMap((document) => {
    const sha256 = fileOf(facts, document);
    return sha256 === null ? [] : [{ document, sha256 }];
  });
}

const PURGED: Verdict = {
  verdict: "indeterminate",
  integrity: false,
  level: null,
  reason:
    "Le propriétaire a supprimé ce document. Seules ses empreintes et ses dates restent\u00a0: comparez-les avec votre exemplaire.",
};

function isShown({ isSigned, checked }: ValidatedDocument): boolean {
  return isSigned && checked.isStored && checked.isNamed;
}

function documentUrl(print: MadePrint, sig: string | null, documentId: string | null): string {
  return printUrl(print.id, "document", {
    ...(sig === null ? {} : { sig }),
    ...(documentId === null ? {} : { document: documentId }),
  });
}

export function verifyUrlOf(
  platform: Pick<Platform, "secrets" | "settings">,
  print: MadePrint,
): string {
  return `${platform.settings.publicUrl}/verify/${print.id}?sig=${signPrint(platform, print)}`;
}

export function printUrl(
  printId: string,
  call: "document" | "printable" | "proof" | "verify",
  query: Readonly<Record<string, string>>,
): string {
  const search = new URLSearchParams(query).toString();
  return `/api/signature/prints/${printId}/${call}/${search === "" ? "" : `?${search}`}`;
}

/** Lists the signatures that the journal names, each validated now. Errors: `not_found`. */
export async function listSignatures(
  deps: PrintDeps,
  request: { readonly envelopeId: string; readonly user: SessionUser },
): Promise<Result<readonly Signature[]>> {
  const { db } = deps.platform;
  const aggregate = await loadEnvelope(db, request.envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, request.user);
  if (!viewer.ok) return viewer;
  const record = await readRecord(db, request.envelopeId);
  const documents = await validateRecord(deps, record);
  const { chain, facts } = record;
  const faults = [...facts.faults, ...documents.flatMap((one) => one.faults)];
  const issued = await loadIssuedCertificates(
    db,
    facts.signatures.map(({ serial }) => serial),
  );
  return success(
    documents.flatMap((document) =>
      document.named.flatMap((named) => {
        // A lost file leaves the certificate as issued.
        const certificateDer = named.report?.certificate?.der ?? issued.get(named.made.serial);
        if (certificateDer === undefined) return [];
        const journal = { chain, faults, closed: facts.closed };
        const context = { envelopeId: record.id, document, certificateDer, journal };
        return [presentSignature(named, context)];
      }),
    ),
  );
}

type SignatureContext = {
  readonly envelopeId: string;
  readonly document: ValidatedDocument;
  readonly certificateDer: Uint8Array;
  readonly journal: JournalFindings;
};

function presentSignature(
  { made, report }: NamedSignature,
  { envelopeId, document, certificateDer, journal }: SignatureContext,
): Signature {
  const certificate = parseCertificate(certificateDer);
  const timestamp = report?.timestamp ?? null;
  return {
    id: signatureId(document.id, made.recipient),
    envelope: envelopeId,
    document: document.id,
    document_name: document.name ?? "Nom effacé",
    recipient: made.recipient,
    signer_name: signerInWords(made) ?? certificate.subject.commonName,
    level: report?.level ?? null,
    signed_at: made.since,
    certificate: {
      subject: certificate.subject.commonName,
      serial_number: made.serial,
      valid_from: certificate.notBefore.toISOString(),
      valid_to: certificate.notAfter.toISOString(),
    },
    timestamp:
      timestamp === null
        ? null
        : { time: timestamp.time.toISOString(), tsa: timestamp.authorityName },
    ...withJournal(verdictOf(document, report), journal),
  };
}

/** The journal has no id, so it derives from document and recipient. Source: RFC 9562 §5.8. */
function signatureId(document: string, recipient: string): string {
  const hash = createHash("sha256").update(`${document} ${recipient}`).digest("hex");
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}

/** A file's fault is one of all its signatures. */
function verdictOf(
  { checked }: ValidatedDocument,
  report: NamedSignature["report"],
): Pick<Signature, "verdict" | "reason"> {
  const isSound = checked.isStored && checked.isNamed && checked.problems.length === 0;
  if (report !== undefined && isSound) {
    const { verdict, reason, consequence } = signatureVerdict(report);
    return { verdict, reason: `${reason} ${consequence}` };
  }
  const { verdict, reason } = envelopeVerdict([checked], 0);
  return { verdict, reason };
}
