import {
  CONSENT_VERSION,
  failure,
  MAX_TITLE_LENGTH,
  problem,
  type Problem,
  problemSentence,
  type Result,
  type SelfSignField,
  success,
  titleOfFile,
  takesMark,
} from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { parisDay } from "@paraphe/kernel/paris-days";
import type { OwnField } from "@paraphe/pades";
import type { Transaction } from "../../platform/database/database.ts";
import { inParallel, inTransaction } from "../../platform/database/in-transaction.ts";
import { loadPrintableCharacters } from "../../platform/fonts/load-fonts.ts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import { checkRoom, type Room, takeRoom } from "../accounts/public.ts";
import {
  coveredPagesOf,
  documentsDigest,
  type NormalisedCopy,
  normaliseDocuments,
  pageCovered,
  pdfAccess,
  pdfFieldName,
  prepareBytes,
  presentFindings,
  type ReceivedDocument,
  receiveDocument,
  type Rehearsal,
  refusalOver,
  requireAlikeCopy,
  signatureState,
  storeBytes,
} from "../documents/public.ts";
import {
  type Actor,
  auditActor,
  commitWithoutMessages,
  committedOwnParts,
  type EnvelopeAggregate,
  type EnvelopeField,
  freePlace,
  insertCompletedOwn,
  insertOwnEnvelope,
  loadEnvelope,
  OWN_SIGNED_REVISION,
  type OwnEnvelope,
} from "../envelopes/public.ts";
import { type NewAuditEvent, requestCheckpoint, SYSTEM_ACTOR } from "../journal/public.ts";
import { type IssuedSigner, TimestampUnavailableError } from "../trust/public.ts";
import type { SealingDeps, SigningDeps } from "./seal/create-sealing.ts";
import { checkFieldValues, type OwnPlacement, ownPlaces } from "./domain/check-signing.ts";
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

type Writing = {
  readonly fields: readonly SelfSignField[];
  readonly signerName: string;
  readonly signedAt: Date;
};

/** Errors: `field_required` for blank text, `unsupported_character`, each under `fields.N`. */
async function writeOwnFields({
  fields,
  signerName,
  signedAt,
}: Writing): Promise<Result<readonly SelfSignField[]>> {
  if (fields.length === 0) return success([]);
  const { firstMissing } = await loadPrintableCharacters();
  const own = fields.map(({ type, value }, index) => ({
    id: String(index),
    type,
    required: true,
    value,
  }));
  const values = checkFieldValues({
    own,
    submitted: [],
    signerName,
    today: parisDay(signedAt),
    firstMissing,
  });
  if (!values.ok) return values;
  return success(
    fields.map((field, index) => ({ ...field, value: values.value[index]?.value ?? null })),
  );
}

/** Refuses the first field on a page the document lacks; null if none. */
function lostField(fields: readonly SelfSignField[], pageCount: number) {
  const index = fields.findIndex(({ page }) => page > pageCount);
  if (index < 0) return null;
  const message = `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`;
  return failure(problem("validation", { errors: { [`fields.${index}`]: [message] } }));
}

export type OwnDocument = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  /** Null: the file's name. */
  readonly title: string | null;
  /** Null: a free place on the last page. */
  readonly placement: OwnPlacement | null;
  /** With the values to print. */
  readonly written?: readonly SelfSignField[];
  /** For a file that needs correction. `accept_alike`: only if its copy looks the same. */
  readonly ifFixable: "accept" | "accept_alike" | "refuse";
  readonly rehearsal?: Rehearsal;
};

type Access = Pick<Platform, "files" | "newId"> & PdfAccess;

/** Only its corrected copy, if any, is stored. */
type PlacedDocument = Omit<OwnEnvelope, "prepared">;

/**
 * Stores the prepared revision for a later signature; writes no row.
 * Errors: those of `prepareBytes`; `storage_full`.
 */
async function storePrepared(access: Access, placed: PlacedDocument): Promise<Result<OwnEnvelope>> {
  const { id, document, documentId, copy, fields, recipientId, actor } = placed;
  const prepared = await prepareBytes(access, {
    envelopeId: id,
    name: document.name,
    bytes: (copy ?? document).bytes,
    fields,
    signer: { id: recipientId, fullName: actor.user.full_name },
  });
  if (!prepared.ok) return prepared;
  const bytes = prepared.value;
  const stored = await storeBytes(access, [document.bytes, bytes]);
  if (!stored.ok) return stored;
  return success({
    ...placed,
    prepared: { documentId, bytes, sha256: stored.value[1] as Uint8Array },
  });
}

/**
 * Controls the file, corrects it if accepted, and places the signature.
 * Errors: those of `receiveDocument`; `copy_to_accept`; `copy_differs`; `validation`;
 * `unsupported_character`; `not_ready_to_send` without a free place; `page_covered`;
 * `storage_full`.
 */
export async function placeOwnDocument(
  access: Access,
  own: OwnDocument,
): Promise<Result<PlacedDocument>> {
  const { firstMissing } = await loadPrintableCharacters();
  const character = firstMissing(own.actor.user.full_name);
  if (character !== null)
    return failure(problem("unsupported_character", { params: { character } }));
  const received = await receiveDocument(access, own.file, own.rehearsal);
  if (!received.ok) return received;
  const document = received.value;
  if (document.control.result === "fixable" && own.ifFixable === "refuse")
    return failure(copyToAccept(document));
  const places = placesIn(document, own.placement);
  if (!places.ok) return places;
  const written = own.written ?? [];
  const lost = lostField(written, document.pageCount);
  if (lost !== null) return lost;
  const [id, documentId, recipientId] = [access.newId(), access.newId(), access.newId()];
  const ofOwner = { documentId, recipientId, required: true, label: null } as const;
  const fields = [
    ...places.value.map(
      (place): EnvelopeField => ({
        ...place,
        ...ofOwner,
        type: "signature",
        value: null,
        id: access.newId(),
      }),
    ),
    ...written.map(
      (field): EnvelopeField => ({
        ...field,
        ...ofOwner,
        page: field.page === -1 ? document.pageCount : field.page,
        id: access.newId(),
      }),
    ),
  ];
  const [covered] = coveredPagesOf({ document, fields, firstSigners: [recipientId] });
  if (covered) return failure(pageCovered(document.name, covered));
  if (document.control.result === "fixable" && own.ifFixable === "accept_alike") {
    const alike = await requireAlikeCopy(access, document);
    if (!alike.ok) return alike;
  }
  const copy = await correctedCopy(access, { documentId, document });
  if (!copy.ok) return copy;
  const title = own.title ?? titleOfFile(document.name).slice(0, MAX_TITLE_LENGTH).trim();
  return success({
    id,
    actor: own.actor,
    title,
    recipientId,
    documentId,
    document,
    copy: copy.value,
    fields,
  });
}

/** Null for a file that needs no correction. */
async function correctedCopy(
  access: Access,
  { documentId, document }: { readonly documentId: string; readonly document: ReceivedDocument },
): Promise<Result<NormalisedCopy | null>> {
  if (document.control.result === "ok") return success(null);
  const stored = await storeBytes(access, [document.bytes]);
  if (!stored.ok) return stored;
  const { name, control } = document;
  const copies = await normaliseDocuments(access, [
    {
      id: documentId,
      name,
      control,
      normalisedAccepted: false,
      original: originalRevision(document),
    },
  ]);
  return copies.ok ? success(copies.value[0] ?? null) : copies;
}

function originalRevision({
  bytes,
  sha256,
}: {
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
}) {
  return { number: 0, kind: "original", sha256, sizeBytes: bytes.length } as const;
}

function placesIn(document: ReceivedDocument, placement: OwnPlacement | null) {
  if (placement !== null) return ownPlaces(placement, document.pageCount);
  const place = freePlace(document);
  return place.ok ? ownPlaces({ ...place.value, page: -1 }, document.pageCount) : place;
}

/** Lists the findings to accept. */
function copyToAccept({ name, control }: ReceivedDocument) {
  return problem("copy_to_accept", {
    errors: { files: [problemSentence(problem("copy_to_accept"))] },
    extensions: { file_name: name, findings: presentFindings(control.findings) },
  });
}

/** `copyAcceptedAt` null: with the rest. */
type Agreement = { readonly consentedAt: Date; readonly copyAcceptedAt: Date | null };
type OwnCompletion = ReadMark & {
  readonly placed: PlacedDocument;
  readonly agreed: Agreement;
  readonly issued: IssuedSigner;
};
/** At B-LTA and stored; no row refers to it yet. */
export type CompletedDocument = OwnCompletion & {
  readonly work: OwnSealing;
  readonly sealed: OwnSealed;
};

/**
 * Signs and archives before any row: a crash leaves nothing.
 * Errors: a `pdf_*` refusal, `service_unavailable` under load; throws the others of `sealOwn`.
 */
export async function completeOwnDocument(
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
    // Earlier signatures need their chains archived too.
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

/** The act's time is that of the last agreement. */
function signedAtOf({
  placed,
  agreed: { consentedAt, copyAcceptedAt },
}: Pick<OwnCompletion, "placed" | "agreed">): Date {
  return placed.copy !== null && copyAcceptedAt !== null && copyAcceptedAt > consentedAt
    ? copyAcceptedAt
    : consentedAt;
}

/** Time of the separate consent to a corrected copy, if any. */
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

/**
 * Commits documents signed by their owner. Its statements are sent before it returns; the caller
 * requests the checkpoint.
 */
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
    writes: [
      () => insertCompletedOwn(trx, deps.platform, envelopes),
      () => recordOwnSealings(trx, deps, sealings),
    ],
    events: all.flatMap(journalOf),
  });
}

/** The bytes agreed to, before the signature. */
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

/** Created, consented, signed, completed. */
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
  /** Consent times that differ from their event's. */
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
      ...accountReach(own.actor.user),
      ...times,
      ...evidence,
    },
  };
}

type OwnMethod = "self" | "bulk";
type OwnSigning = OwnDocument & ReadMark & { readonly method: OwnMethod };

/**
 * Signs an own PDF into a completed B-LTA envelope that notifies nobody.
 * Signed before a single transaction writes it: a crash leaves nothing. Signing a sound file is its
 * rehearsal: another one only says why it failed, or precedes what is signed later. Without a
 * time-stamp the consent is recorded with its sealing job.
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
  const own = { ...signing, written: written.value, rehearsal: "by_signing" } as const;
  const placed = await placeOwnDocument(access, own);
  if (!placed.ok) return placed;
  try {
    const done = await signAtOnce(deps, signing, placed.value);
    if (!done.ok) return (await refusalOfRehearsal(access, signing)) ?? done;
  } catch (error) {
    const isLate = error instanceof TimestampUnavailableError;
    if (!isLate && !(error instanceof UnsoundSignatureError)) throw error;
    const refused = await refusalOfRehearsal(access, signing);
    if (refused !== null) return refused;
    if (!isLate) throw error;
    return signLater(deps, signing, placed.value);
  }
  const aggregate = await loadEnvelope(platform.db, placed.value.id);
  if (aggregate === null) throw new Error("An envelope of one's own went as it was signed");
  return success(aggregate);
}

/** What stands in the way of signing the file at all; null if its rehearsal passes. */
async function refusalOfRehearsal(access: Access, { file }: OwnSigning) {
  const received = await receiveDocument(access, file);
  return received.ok ? null : received;
}

async function signAtOnce(
  deps: SigningDeps,
  signing: OwnSigning,
  placed: PlacedDocument,
): Promise<Result<null>> {
  const { platform, sealing } = deps;
  const { user } = signing.actor;
  const now = platform.clock();
  const issued = await sealing.trust.issueSigner({
    fullName: user.full_name,
    email: certifiedAccountEmail(user),
    now,
  });
  const { mark, evidence, method } = signing;
  const [completed] = await Promise.all([
    completeOwnDocument(sealing, {
      placed,
      mark,
      evidence,
      agreed: { consentedAt: now, copyAcceptedAt: null },
      issued,
    }),
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

/** The job waits for a time-stamp. */
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

/** Refuses a typed mark without glyphs; null if it can be drawn. */
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
    writes: [
      () => recordAct(trx, platform, act),
      () => noteMarkUse(trx, { userId: user.id, evidence, now: signedAt }),
    ],
    events: [created, ownConsent({ own, method, documentsSha256, times, evidence })],
  });
}
