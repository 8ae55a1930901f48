import { CONSENT_VERSION, failure, type Result, success } from "@paraphe/contracts";
import type { OwnField } from "@paraphe/pades";
import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import { documentsDigest, pdfFieldName, refusalOver, signatureState } from "../documents/public.ts";
import { auditActor, committedOwnParts, type EnvelopeField, insertCompletedOwn, OWN_SIGNED_REVISION } from "../envelopes/public.ts";
import { appendEvents, type NewAuditEvent, SYSTEM_ACTOR } from "../journal/public.ts";
import type { SealingDeps } from "./seal/deps.ts";
import { type OwnSealed, type OwnSealing, type OwnSealingRecord, recordOwnSealings, sealOwn } from "./seal/seal-own.ts";
import type { IssuedSigner } from "../trust/public.ts";
import { accountReach } from "./record-consent.ts";
import type { PlacedDocument } from "./prepare-own-document.ts";
import type { ReadMark } from "./read-mark.ts";

/** When the owner agreed; and when to a corrected copy, where that was asked later: null where it was agreed to with the rest. */
type Agreement = { readonly consentedAt: Date; readonly copyAcceptedAt: Date | null };
export type OwnCompletion = ReadMark & {
  readonly placed: PlacedDocument;
  readonly agreed: Agreement;
  readonly issued: IssuedSigner;
};
/** A document signed at B-LTA, in storage; no row knows of it yet. */
export type CompletedDocument = OwnCompletion & { readonly work: OwnSealing; readonly sealed: OwnSealed };

/**
 * Signs a placed document and makes it prove itself, before anything is written down: whoever dies here has done nothing.
 * Errors: a `pdf_*` refusal, `service_unavailable` when too many ask; the others of `sealOwn`, thrown.
 */
export async function completeOwnDocument(deps: SealingDeps, completion: OwnCompletion): Promise<Result<CompletedDocument>> {
  const { placed, mark, issued } = completion;
  const { document, copy, fields } = placed;
  const work: OwnSealing = {
    envelopeId: placed.id,
    signer: { id: placed.recipientId, fullName: placed.actor.user.full_name },
    original: (copy ?? document).bytes,
    fields,
    ownFields: fields.map(ownField),
    mark,
    signedAt: signedAtOf(completion),
    issued,
    // A file that bears signatures already needs their chains too.
    isSignedBefore: signatureState(document.control) !== "unsigned",
  };
  try {
    return success({ ...completion, work, sealed: await sealOwn(deps, work) });
  } catch (error) {
    const refusal = refusalOver(document.name, error);
    if (refusal === null) throw error;
    return failure(refusal);
  }
}

/** The act is of the moment when all that is signed was agreed to: a corrected copy accepted later than the rest makes it of then. */
function signedAtOf({ placed, agreed: { consentedAt, copyAcceptedAt } }: Pick<OwnCompletion, "placed" | "agreed">): Date {
  return placed.copy !== null && copyAcceptedAt !== null && copyAcceptedAt > consentedAt ? copyAcceptedAt : consentedAt;
}

/** What the journal says of the consent to a corrected copy: when it was given; nothing where there is none. */
export function copyAcceptance({ copy }: Pick<PlacedDocument, "copy">, { consentedAt, copyAcceptedAt }: Agreement) {
  return copy === null ? {} : { copy_accepted_at: (copyAcceptedAt ?? consentedAt).toISOString() };
}

/** A signature takes the mark; what stands beside it, its value. */
function ownField({ id, type, page, value }: EnvelopeField): OwnField {
  return { name: pdfFieldName(id), type, pageNumber: page, value };
}

export type OwnRecord = Pick<OwnSealingRecord, "actId" | "method"> & { readonly completed: CompletedDocument };

/**
 * Writes everything that follows from signed documents of one's own, in one transaction: envelopes, revisions, acts, signatures, certificates, journals.
 * Its statements are sent before it returns: what refers to them may be begun with it, after it. Whoever calls asks for the checkpoint that covers them.
 */
export async function commitCompletedOwn(trx: Transaction, deps: SealingDeps, records: readonly OwnRecord[]): Promise<void> {
  const all = records.map((record) => ({ ...record, documentsSha256: agreedDigest(record.completed) }));
  await together([
    insertCompletedOwn(
      trx,
      deps.platform,
      all.map(({ completed: { placed, work, sealed } }) => {
        const { sha256, sizeBytes } = sealed.archive;
        return { ...placed, completed: { sha256, sizeBytes }, level: "B-LTA", signedAt: work.signedAt } as const;
      }),
    ),
    recordOwnSealings(
      trx,
      deps,
      all.map(({ actId, method, completed: { placed, work, sealed }, documentsSha256 }) => ({
        actId,
        userId: placed.actor.user.id,
        method,
        work,
        sealed,
        documentId: placed.documentId,
        revision: OWN_SIGNED_REVISION,
        documentsSha256,
        client: placed.actor.client,
      })),
    ),
    appendEvents(trx, deps.platform, all.flatMap(journalOf)),
  ]);
}

/** What was agreed to: the bytes before the signature. */
function agreedDigest({ placed: { documentId, document, copy } }: CompletedDocument): Uint8Array {
  const original = { number: 0, kind: "original", sha256: (copy ?? document).sha256, sizeBytes: 0 } as const;
  return documentsDigest([{ id: documentId, position: 1, original }]);
}

type Journal = Pick<OwnRecord, "completed" | "method"> & { readonly documentsSha256: Uint8Array };

function journalOf({ completed, method, documentsSha256 }: Journal): readonly NewAuditEvent[] {
  const { placed, sealed, issued, agreed, evidence } = completed;
  const actor = auditActor(placed.actor);
  const { name, ip, userAgent } = actor;
  const envelopeId = placed.id;
  const documents = [`${placed.documentId}:${hex(sealed.archive.sha256)}`];
  const level = "B-LTA";
  const parts = committedOwnParts(placed);
  return [
    {
      envelopeId,
      action: "envelope_created",
      actor,
      detail: {
        documents: [placed.document, ...(placed.copy === null ? [] : [placed.copy])].map((file) => hex(file.sha256)),
        recipients: 1,
        fields: placed.fields.length,
        ...parts.detail,
      },
      personal: parts.personal,
    },
    {
      envelopeId,
      action: "consent_given",
      actor,
      detail: {
        consent_version: CONSENT_VERSION,
        method,
        documents_sha256: hex(documentsSha256),
        recipient: placed.recipientId,
        ...accountReach(placed.actor.user),
        consented_at: agreed.consentedAt.toISOString(),
        ...copyAcceptance(placed, agreed),
        ...evidence,
      },
    },
    {
      envelopeId,
      action: "recipient_signed",
      actor: {
        kind: "recipient",
        id: placed.recipientId,
        ...(name ? { name } : {}),
        ...(ip ? { ip } : {}),
        ...(userAgent ? { userAgent } : {}),
      },
      detail: { method, certificate_serial: issued.serialNumber, documents, recipient: placed.recipientId, signed: 1, total: 1, level },
    },
    { envelopeId, action: "envelope_completed", actor: SYSTEM_ACTOR, detail: { documents, level } },
  ];
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
