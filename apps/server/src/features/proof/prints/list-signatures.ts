import { failure, problem, type Result, type Signature, success } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades/parts";
import type { SessionUser } from "../../accounts/public.ts";
import { loadEnvelope, viewerOf } from "../../envelopes/public.ts";
import { type JournalFindings, judgeProof, withJournal } from "./domain/judge-proof.ts";
import { signatureVerdict } from "./domain/signature-verdict.ts";
import { holdEnvelope } from "./hold-envelope.ts";
import type { PrintDeps } from "./print-deps.ts";
import { readWholeOf } from "./read-whole.ts";
import type { RecordedSignature } from "./store.ts";
import { type ValidatedDocument, validateWhole } from "./validate-envelope.ts";

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
  const whole = await readWholeOf(deps.platform.db, aggregate);
  const validated = await validateWhole(deps, whole);
  const documents = new Map(validated.map((one) => [one.document.id, one]));
  const faults = [...holdEnvelope(whole), ...validated.flatMap((one) => one.faults)];
  const journal = { chain: whole.chain, faults, closed: whole.facts.closed };
  return success(
    whole.recorded.flatMap((row) => {
      const validated = documents.get(row.documentId);
      return validated === undefined
        ? []
        : [presentSignature(row, { envelopeId: request.envelopeId, validated, journal })];
    }),
  );
}

type SignatureContext = {
  readonly envelopeId: string;
  readonly validated: ValidatedDocument;
  readonly journal: JournalFindings;
};

function presentSignature(
  row: RecordedSignature,
  { envelopeId, validated, journal }: SignatureContext,
): Signature {
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
    timestamp:
      timestamp === null
        ? null
        : { time: timestamp.time.toISOString(), tsa: timestamp.authorityName },
    ...withJournal(verdictOf(validated, report), journal),
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
