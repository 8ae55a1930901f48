import { problem, failure, type Result, type signatureSchema, success } from "@paraphe/contracts";
import { parseCertificate } from "@paraphe/pades";
import type * as z from "zod/mini";
import type { Platform } from "../../platform/platform.ts";
import type { SessionUser } from "../accounts/index.ts";
import { loadEnvelope, viewerOf } from "../envelopes/index.ts";
import { loadSignatures, type SignatureRow } from "../sealing/index.ts";

type SignatureAnswer = z.infer<typeof signatureSchema>;

/**
 * Gives the signatures made in an envelope, to whoever sees it.
 * Errors: `not_found`.
 */
export async function listSignatures(
  platform: Platform,
  request: { readonly envelopeId: string; readonly user: SessionUser },
): Promise<Result<readonly SignatureAnswer[]>> {
  const aggregate = await loadEnvelope(platform.db, request.envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, request.user);
  if (!viewer.ok) return viewer;
  return success((await loadSignatures(platform.db, request.envelopeId)).map(presentSignature));
}

function presentSignature(row: SignatureRow): SignatureAnswer {
  const certificate = parseCertificate(row.certificateDer);
  return {
    id: row.id,
    envelope: row.envelopeId,
    document: row.documentId,
    recipient: row.recipientId,
    signer_name: row.signerName,
    level: row.level,
    signed_at: row.signedAt.toISOString(),
    certificate: {
      subject: certificate.subject.commonName,
      serial_number: row.serialNumber,
      valid_from: certificate.notBefore.toISOString(),
      valid_to: certificate.notAfter.toISOString(),
    },
  };
}
