import { failure, plainText, problem, type Result, success } from "@paraphe/contracts";
import { HsmUnavailableError } from "../../../platform/hsm/hsm.ts";
import type { DocumentModel } from "../../../platform/pdf-document/document-model.ts";
import { limitRate } from "../../../platform/throttle/throttle.ts";
import type { SessionUser } from "../../accounts/public.ts";
import { slugify } from "../../documents/public.ts";
import { invalidState, loadEnvelope, requireOwner } from "../../envelopes/public.ts";
import { sealFile, type SealingDeps } from "../../signing/public.ts";
import { TimestampUnavailableError } from "../../trust/public.ts";
import {
  attachFiles,
  describeAttachments,
  describeDocuments,
  describeSignatures,
} from "./describe-documents.ts";
import { describeInclusion, describeJournal, describeMessages } from "./describe-journal.ts";
import {
  describeConsents,
  describeParties,
  describeScope,
  describeSummary,
  LAW,
  serviceOf,
  titleOf,
} from "./describe-people.ts";
import { type EvidenceFacts, gatherFacts } from "./gather-facts.ts";

/** Each validates every document and asks for two time-stamps. */
const LIMIT = { limit: 60, windowS: 3_600 } as const;
const AWAY_RETRY_S = 30;

export type EvidenceFile = { readonly name: string; readonly bytes: Uint8Array };

/**
 * Makes the evidence file ('dossier de preuve') for the owner, who alone sees addresses and
 * browsers; not stored.
 * Shape: PDF/A-3a and PDF/UA-1 in French, machine-readable attachments, sealed at B-LTA.
 * Errors: `not_found`; `not_allowed` for a recipient; `invalid_state` before sending;
 * `too_many_requests`; `service_unavailable` without time-stamps or token.
 * Source: contract §4; security §3; signatures §2.
 */
export async function makeEvidence(
  deps: SealingDeps,
  request: { readonly envelopeId: string; readonly user: SessionUser; readonly gone: AbortSignal },
): Promise<Result<EvidenceFile>> {
  const { platform } = deps;
  const owned = requireOwner(await loadEnvelope(platform.db, request.envelopeId), request.user);
  if (!owned.ok) return owned;
  const { envelope } = owned.value;
  // An own document is completed without being sent.
  if (envelope.sentAt === null && envelope.completedAt === null)
    return failure(invalidState(envelope.status));
  const limited = await limitEvidence(deps, request.user.id);
  if (!limited.ok) return limited;
  const facts = await gatherFacts(deps, { envelopeId: envelope.id, ownerId: envelope.ownerId });
  const sandbox = platform.sandbox.askedBy({
    key: `evidence:${request.user.id}`,
    haste: "patient",
    signal: request.gone,
  });
  const file = await sandbox.call("renderDocument", modelOf(facts));
  try {
    const bytes = await sealFile(deps, file, `Dossier de preuve de l’enveloppe ${envelope.id}`);
    return success({ name: `${slugify(titleOf(facts))}_dossier_de_preuve.pdf`, bytes });
  } catch (error) {
    // Without its seal and time-stamps the file proves nothing.
    const isAway =
      error instanceof TimestampUnavailableError || error instanceof HsmUnavailableError;
    if (!isAway) throw error;
    return failure(problem("service_unavailable", { retryAfterS: AWAY_RETRY_S }));
  }
}

function limitEvidence({ platform }: SealingDeps, userId: string): Promise<Result<null>> {
  return limitRate(platform, { key: `evidence ${userId}`, ...LIMIT });
}

function modelOf(facts: EvidenceFacts): DocumentModel {
  const attachments = attachFiles(facts);
  return {
    title: `Dossier de preuve\u00a0: ${plainText(titleOf(facts))}`,
    subject: `Preuve des signatures électroniques de l’enveloppe ${facts.record.id}`,
    author: serviceOf(facts.organization),
    lang: "fr-FR",
    madeAt: facts.madeAt,
    footer: `Dossier de preuve · ${facts.record.id}`,
    blocks: [
      ...describeSummary(facts),
      ...describeScope(facts),
      ...describeParties(facts),
      ...describeDocuments(facts),
      ...describeConsents(facts),
      ...describeSignatures(facts),
      ...describeMessages(facts),
      ...describeJournal(facts),
      ...describeInclusion(facts),
      ...LAW,
      ...describeAttachments(facts, attachments),
    ],
    attachments,
  };
}
