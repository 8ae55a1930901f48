import {
  CONSENT_VERSION,
  failure,
  problem,
  type Problem,
  type Result,
  success,
  takesMark,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import type { OwnField } from "@paraphe/pades";
import type { Transaction } from "../../platform/database/database.ts";
import { inParallel, inTransaction } from "../../platform/database/in-transaction.ts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import { loadPrintableCharacters } from "../../platform/fonts/load-fonts.ts";
import { checkRoom, type Room, takeRoom } from "../accounts/public.ts";
import {
  documentsDigest,
  pdfAccess,
  pdfFieldName,
  refusalOver,
  signatureState,
} from "../documents/public.ts";
import {
  auditActor,
  commitWithoutMessages,
  committedOwnParts,
  type EnvelopeAggregate,
  type EnvelopeField,
  insertCompletedOwn,
  insertOwnEnvelope,
  loadEnvelope,
  OWN_SIGNED_REVISION,
  type OwnEnvelope,
} from "../envelopes/public.ts";
import { type NewAuditEvent, requestCheckpoint, SYSTEM_ACTOR } from "../journal/public.ts";
import { type IssuedSigner, TimestampUnavailableError } from "../trust/public.ts";
import type { SealingDeps, SigningDeps } from "./seal/create-sealing.ts";
import { UnsoundSignatureError } from "./seal/archive-revision.ts";
import { noteMarkUse, type ReadMark } from "./marks/saved-signatures.ts";
import { accountReach } from "./sign-envelope.ts";
import type { StoredMark } from "./seal/store.ts";
import { certifiedAccountEmail, recordAct } from "./seal/seal-act.ts";
import {
  type OwnSealed,
  type OwnSealing,
  type OwnSealingRecord,
  recordOwnSealings,
  sealOwn,
} from "./seal/seal-own.ts";
import {
  type OwnDocument,
  type PlacedDocument,
  placeOwnDocument,
  refusalOfRehearsal,
  storePrepared,
  writeOwnFields,
} from "./place-own-document.ts";

/** `copyAcceptedAt` is null where the copy was accepted with the rest. */
type Agreement = { readonly consentedAt: Date; readonly copyAcceptedAt: Date | null };
type OwnCompletion = ReadMark & {
  readonly placed: PlacedDocument;
  readonly agreed: Agreement;
  readonly issued: IssuedSigner;
};
/** Stored at B-LTA, without a row yet. */
export type CompletedDocument = OwnCompletion & {
  readonly work: OwnSealing;
  readonly sealed: OwnSealed;
};

/**
 * Seals before any row: a crash leaves nothing. Signing a sound file is its rehearsal: if it fails
 * or waits for a time-stamp, a second one says why.
 * Errors: a `pdf_*` refusal, `service_unavailable` under load; throws the others of `sealOwn`.
 */
export async function completeOwnDocument(
  deps: SealingDeps,
  completion: OwnCompletion,
  access: PdfAccess = deps.platform,
): Promise<Result<CompletedDocument>> {
  const rehearse = () => refusalOfRehearsal(access, completion.placed.document);
  try {
    const completed = await signAndArchive(deps, completion);
    return completed.ok ? completed : ((await rehearse()) ?? completed);
  } catch (error) {
    if (!(error instanceof UnsoundSignatureError || error instanceof TimestampUnavailableError))
      throw error;
    const refused = await rehearse();
    if (refused === null) throw error;
    return refused;
  }
}

async function signAndArchive(
  deps: SealingDeps,
  completion: OwnCompletion,
): Promise<Result<CompletedDocument>> {
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
    // Chains of earlier signatures are archived too.
    isSignedBefore: signatureState(document.control) !== "unsigned",
  };
  try {
    return success({ ...completion, work, sealed: await sealOwn(deps, work) });
  } catch (error) {
    const refusal = refusalOver(document.name, error, "file");
    if (refusal === null) throw error;
    return failure(refusal);
  }
}

function signedAtOf({
  placed,
  agreed: { consentedAt, copyAcceptedAt },
}: Pick<OwnCompletion, "placed" | "agreed">): Date {
  return placed.copy !== null && copyAcceptedAt !== null && copyAcceptedAt > consentedAt
    ? copyAcceptedAt
    : consentedAt;
}

/** The time of the separate consent, if any. */
function copyAcceptance(
  { copy }: Pick<PlacedDocument, "copy">,
  { consentedAt, copyAcceptedAt }: Agreement,
) {
  return copy === null ? {} : { copy_accepted_at: (copyAcceptedAt ?? consentedAt).toISOString() };
}

function ownField({ id, type, page, value }: EnvelopeField): OwnField {
  return { name: pdfFieldName(id), type, pageNumber: page, value };
}

type OwnRecord = Pick<OwnSealingRecord, "actId" | "method"> & {
  readonly completed: CompletedDocument;
};

/** Statements are sent before it returns; the caller requests the checkpoint. */
export async function commitCompletedOwn(
  trx: Transaction,
  deps: SealingDeps,
  records: readonly OwnRecord[],
): Promise<void> {
  const all = records.map((record) => ({
    ...record,
    documentsSha256: agreedDigest(record.completed.placed),
  }));
  const envelopes = all.map(({ completed: { placed, work, sealed } }) => {
    const { sha256, sizeBytes } = sealed.archive;
    const completed = { sha256, sizeBytes };
    return { ...placed, completed, level: "B-LTA", signedAt: work.signedAt } as const;
  });
  const sealings = all.map(({ actId, method, completed, documentsSha256 }) => {
    const { placed, work, sealed } = completed;
    const { documentId, actor } = placed;
    return {
      actId,
      userId: actor.user.id,
      method,
      work,
      sealed,
      documentId,
      revision: OWN_SIGNED_REVISION,
      documentsSha256,
      client: actor.client,
    };
  });
  await commitWithoutMessages(trx, deps.platform, {
    ownerId: all[0]?.completed.placed.actor.user.id ?? null,
    writes: [...insertCompletedOwn(deps.platform, envelopes), ...recordOwnSealings(deps, sealings)],
    events: all.flatMap(journalOf),
  });
}

/** Digest of the document before the signature. */
function agreedDigest({
  documentId,
  document,
  copy,
}: Pick<PlacedDocument, "documentId" | "document" | "copy">): Uint8Array {
  const original = {
    number: 0,
    kind: "original",
    sha256: (copy ?? document).sha256,
    sizeBytes: 0,
  } as const;
  return documentsDigest([{ id: documentId, position: 1, original }]);
}

type Journal = Pick<OwnRecord, "completed" | "method"> & { readonly documentsSha256: Uint8Array };

function journalOf({ completed, method, documentsSha256 }: Journal): readonly NewAuditEvent[] {
  const { placed, sealed, issued, agreed, evidence } = completed;
  const actor = auditActor(placed.actor);
  const { name, ip, userAgent } = actor;
  const { id: envelopeId, recipientId } = placed;
  const documents = [`${placed.documentId}:${toHex(sealed.archive.sha256)}`];
  const level = "B-LTA";
  const times = {
    consented_at: agreed.consentedAt.toISOString(),
    ...copyAcceptance(placed, agreed),
  };
  return [
    createdEvent(placed),
    ownConsent({ own: placed, method, documentsSha256, times, evidence }),
    {
      envelopeId,
      action: "recipient_signed",
      actor: {
        kind: "recipient",
        id: recipientId,
        ...(name ? { name } : {}),
        ...(ip ? { ip } : {}),
        ...(userAgent ? { userAgent } : {}),
      },
      detail: {
        method,
        certificate_serial: issued.serialNumber,
        documents,
        recipient: recipientId,
        signed: 1,
        total: 1,
        level,
      },
    },
    { envelopeId, action: "envelope_completed", actor: SYSTEM_ACTOR, detail: { documents, level } },
  ];
}

function createdEvent(placed: PlacedDocument): NewAuditEvent {
  const { id: envelopeId, document, copy, fields } = placed;
  const files = [document, ...(copy === null ? [] : [copy])];
  const parts = committedOwnParts(placed);
  return {
    envelopeId,
    action: "envelope_created",
    actor: auditActor(placed.actor),
    detail: {
      documents: files.map(({ sha256 }) => toHex(sha256)),
      recipients: 1,
      fields: fields.length,
      ...parts.detail,
    },
    personal: parts.personal,
  };
}

type OwnConsent = Pick<ReadMark, "evidence"> & {
  readonly own: Pick<PlacedDocument, "id" | "actor" | "recipientId" | "copy">;
  readonly method: OwnMethod;
  readonly documentsSha256: Uint8Array;
  /** Times that differ from their event's. */
  readonly times: Readonly<Record<string, string>>;
};

function ownConsent(consent: OwnConsent): NewAuditEvent {
  const { own, method, documentsSha256, times, evidence } = consent;
  return {
    envelopeId: own.id,
    action: "consent_given",
    actor: auditActor(own.actor),
    detail: {
      consent_version: CONSENT_VERSION,
      method,
      documents_sha256: toHex(documentsSha256),
      recipient: own.recipientId,
      ...accountReach(own.actor.user, {
        fullName: own.actor.user.full_name,
        email: own.actor.user.email,
      }),
      ...times,
      ...evidence,
    },
  };
}

type OwnMethod = "self" | "bulk";
type OwnSigning = OwnDocument & ReadMark & { readonly method: OwnMethod };

/**
 * Gives a completed B-LTA envelope that notifies nobody, signed before one transaction writes it.
 * Without a time-stamp the consent gets its sealing job.
 * Errors: those of `writeOwnFields`, `placeOwnDocument` and `completeOwnDocument`;
 * `unsupported_character`; `timestamp_unavailable` (the signature follows);
 * `storage_quota_reached`.
 */
export async function signOwnDocument(
  deps: SigningDeps,
  signing: OwnSigning,
): Promise<Result<EnvelopeAggregate>> {
  const { platform } = deps;
  const printable = await checkMark(signing.mark);
  if (printable !== null) return failure(printable);
  const { full_name: signerName } = signing.actor.user;
  const fits = await checkRoom(platform, roomOf(signing));
  if (!fits.ok) return fits;
  const written = await writeOwnFields({
    fields: signing.written ?? [],
    signerName,
    signedAt: platform.clock(),
  });
  if (!written.ok) return written;
  const access = pdfAccess(platform, { actor: signing.actor, haste: "urgent" });
  const placed = await placeOwnDocument(access, { ...signing, written: written.value });
  if (!placed.ok) return placed;
  try {
    const done = await signAtOnce(deps, { signing, placed: placed.value, access });
    if (!done.ok) return done;
  } catch (error) {
    if (!(error instanceof TimestampUnavailableError)) throw error;
    return signLater(deps, signing, placed.value);
  }
  const aggregate = await loadEnvelope(platform.db, placed.value.id);
  if (aggregate === null) throw new Error("An envelope of one's own went as it was signed");
  return success(aggregate);
}

async function signAtOnce(
  deps: SigningDeps,
  {
    signing,
    placed,
    access,
  }: {
    readonly signing: OwnSigning;
    readonly placed: PlacedDocument;
    readonly access: PdfAccess;
  },
): Promise<Result<null>> {
  const { platform, sealing } = deps;
  const { user } = signing.actor;
  const now = platform.clock();
  const issued = await sealing.trust.issueSigner({
    fullName: user.full_name,
    email: certifiedAccountEmail(user),
    isVouched: user.provider !== undefined,
    now,
  });
  const { mark, evidence, method } = signing;
  const [completed] = await Promise.all([
    completeOwnDocument(
      sealing,
      { placed, mark, evidence, agreed: { consentedAt: now, copyAcceptedAt: null }, issued },
      access,
    ),
    platform.files.put(placed.document.bytes),
  ]);
  if (!completed.ok) return completed;
  return inTransaction(platform.db, async (trx) => {
    const fits = await takeRoom(trx, platform, roomOf(signing));
    if (!fits.ok) return fits;
    await inParallel([
      commitCompletedOwn(trx, sealing, [
        { actId: platform.newId(), method, completed: completed.value },
      ]),
      noteMarkUse(trx, { userId: user.id, evidence, now }),
      requestCheckpoint(trx, platform),
    ]);
    return success(null);
  });
}

function roomOf({ actor, file }: OwnSigning): Room {
  return { ownerId: actor.user.id, bytes: file.bytes.length };
}

async function signLater(
  deps: SigningDeps,
  signing: OwnSigning,
  placed: PlacedDocument,
): Promise<Result<never>> {
  const { platform } = deps;
  const prepared = await storePrepared(
    pdfAccess(platform, { actor: signing.actor, haste: "urgent" }),
    placed,
  );
  if (!prepared.ok) return prepared;
  const own = prepared.value;
  const committed = await inTransaction(platform.db, async (trx) => {
    const fits = await takeRoom(trx, platform, roomOf(signing));
    if (fits.ok) await commitOwnDocument(trx, deps, { ...signing, own });
    return fits;
  });
  if (!committed.ok) return committed;
  return failure(
    problem("timestamp_unavailable", { retryAfterS: 30, extensions: { envelope_id: own.id } }),
  );
}

export async function checkMark(mark: StoredMark): Promise<Problem | null> {
  if (mark.kind !== "typed") return null;
  const character = (await loadPrintableCharacters()).firstMissingInHand(mark.text, mark.hand);
  return character === null ? null : problem("unsupported_character", { params: { character } });
}

async function commitOwnDocument(
  trx: Transaction,
  { platform }: SigningDeps,
  {
    own,
    mark,
    evidence,
    method,
  }: ReadMark & { readonly own: OwnEnvelope; readonly method: OwnMethod },
): Promise<void> {
  const { user, client } = own.actor;
  const signedAt = platform.clock();
  const documentsSha256 = agreedDigest(own);
  const times = copyAcceptance(own, { consentedAt: signedAt, copyAcceptedAt: null });
  const created = await insertOwnEnvelope(trx, platform, own);
  const act = {
    id: platform.newId(),
    envelopeId: own.id,
    recipientId: own.recipientId,
    userId: user.id,
    method,
    consentVersion: CONSENT_VERSION,
    documentsSha256,
    bodySha256: null,
    content: {
      fields: own.fields
        .filter((field) => !takesMark(field))
        .map(({ id, value }) => ({ id, value })),
      mark,
    },
    ip: client.ip,
    userAgent: client.userAgent,
    signedAt,
  };
  await commitWithoutMessages(trx, platform, {
    ownerId: user.id,
    writes: [
      () => noteMarkUse(trx, { userId: user.id, evidence, now: signedAt }),
      ...recordAct(trx, platform, act),
    ],
    events: [created, ownConsent({ own, method, documentsSha256, times, evidence })],
  });
}
