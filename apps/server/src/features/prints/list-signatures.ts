import { failure, problem, type Result, type Signature, success } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import type { SessionUser } from "../accounts/index.ts";
import { loadEnvelope, viewerOf } from "../envelopes/index.ts";
import { judgeProof } from "./domain/judge-proof.ts";
import { signatureVerdict } from "./domain/signature-verdict.ts";
import { withJournal } from "./domain/with-journal.ts";
import type { PrintDeps } from "./print-deps.ts";
import { type ProvenJournal, proveJournal } from "./prove-journal.ts";
import type { RecordedSignature } from "./store.ts";
import { recordedIn, type ValidatedDocument, validateEnvelope } from "./validate-envelope.ts";

/**
 * Gives the signatures made in an envelope, to whoever sees it: each is looked for in the stored file, and validated now.
 * Errors: `not_found`.
 */
export async function listSignatures(
  deps: PrintDeps,
  request: { readonly envelopeId: string; readonly user: SessionUser },
): Promise<Result<readonly Signature[]>> {
  const aggregate = await loadEnvelope(deps.platform.db, request.envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, request.user);
  if (!viewer.ok) return viewer;
  const documents = new Map((await validateEnvelope(deps, aggregate)).map((validated) => [validated.document.id, validated]));
  const recorded = await recordedIn(deps.platform.db, aggregate);
  const { chain } = await proveJournal(deps.platform.db, request.envelopeId);
  return success(
    recorded.flatMap((row) => {
      const validated = documents.get(row.documentId);
      return validated === undefined ? [] : [presentSignature(row, { envelopeId: request.envelopeId, validated, chain })];
    }),
  );
}

type SignatureContext = { readonly envelopeId: string; readonly validated: ValidatedDocument; readonly chain: ProvenJournal["chain"] };

function presentSignature(row: RecordedSignature, { envelopeId, validated, chain }: SignatureContext): Signature {
  const certificate = parseCertificate(row.certificateDer);
  const report = validated.found.find(({ recorded }) => recorded.id === row.id)?.report;
  const timestamp = report?.timestamp ?? null;
  return {
    id: row.id,
    envelope: envelopeId,
    document: row.documentId,
    document_name: validated.document.name,
    recipient: row.recipientId,
    signer_name: row.signerName,
    level: report?.level ?? null,
    signed_at: row.signedAt.toISOString(),
    certificate: {
      subject: certificate.subject.commonName,
      serial_number: row.serialNumber,
      valid_from: certificate.notBefore.toISOString(),
      valid_to: certificate.notAfter.toISOString(),
    },
    timestamp: timestamp === null ? null : { time: timestamp.time.toISOString(), tsa: timestamp.authorityName },
    ...withJournal(verdictOf(validated, report), chain),
  };
}

/** A file with a fault of its own, or without the signature, says it for all of its signatures. */
function verdictOf(
  { judged }: ValidatedDocument,
  report: ValidatedDocument["found"][number]["report"] | undefined,
): Pick<Signature, "verdict" | "reason"> {
  if (report !== undefined && judged.isStored && judged.isNamed && judged.problems.length === 0) {
    const { verdict, reason, consequence } = signatureVerdict(report);
    return { verdict, reason: `${reason} ${consequence}` };
  }
  const { verdict, reason } = judgeProof([judged], 0);
  return { verdict, reason };
}
