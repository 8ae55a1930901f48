import { createHash } from "node:crypto";
import { failure, problem, type Result, type Signature, success } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades/parts";
import { type NamedSignature, signerInWords } from "@paraphe/proof/parts";
import type { SessionUser } from "../../accounts/public.ts";
import { loadEnvelope, viewerOf } from "../../envelopes/public.ts";
import { loadIssuedCertificates } from "../../trust/public.ts";
import { envelopeVerdict, type JournalFindings, withJournal } from "./domain/verdicts.ts";
import { signatureVerdict } from "./domain/verdicts.ts";
import {
  type PrintDeps,
  type ValidatedDocument,
  readRecord,
  validateRecord,
} from "./read-record.ts";

/** Signatures named by the journal, each validated now in its stored file. Errors: `not_found`. */
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
        // Without the file, the certificate as it was issued.
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

/** The journal has no signature id: document and recipient make one. Source: RFC 9562 §5.8. */
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

/** A file's own fault, or a missing signature, applies to all of its signatures. */
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
