import {
  failure,
  MAX_TITLE_LENGTH,
  problem,
  problemSentence,
  type Result,
  type SelfSignField,
  success,
  titleOfFile,
  firstUnprinted,
} from "@paraphe/contracts";
import { parisDay } from "@paraphe/kernel/paris-days";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import {
  coveredPagesOf,
  type NormalisedCopy,
  normaliseDocuments,
  pageCovered,
  prepareBytes,
  presentFindings,
  type ReceivedDocument,
  receiveDocument,
  requireAlikeCopy,
  storeBytes,
} from "../documents/public.ts";
import {
  type Actor,
  type EnvelopeField,
  freePlace,
  type OwnEnvelope,
} from "../envelopes/public.ts";
import { checkFieldValues, type OwnPlacement, ownPlaces } from "./domain/check-signing.ts";

type Writing = {
  readonly fields: readonly SelfSignField[];
  readonly signerName: string;
  readonly signedAt: Date;
};

/** Errors: `field_required` for blank text, `unsupported_character`, under `fields.N`. */
export async function writeOwnFields({
  fields,
  signerName,
  signedAt,
}: Writing): Promise<Result<readonly SelfSignField[]>> {
  if (fields.length === 0) return success([]);
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
    firstMissing: firstUnprinted,
  });
  if (!values.ok) return values;
  return success(
    fields.map((field, index) => ({ ...field, value: values.value[index]?.value ?? null })),
  );
}

function lostField(fields: readonly SelfSignField[], pageCount: number) {
  const index = fields.findIndex(({ page }) => page > pageCount);
  if (index < 0) return null;
  const message = `Ce document n’a que ${pageCount} ${pageCount > 1 ? "pages" : "page"}`;
  return failure(problem("validation", { errors: { [`fields.${index}`]: [message] } }));
}

export type OwnDocument = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  /** Null: the file's name is the title. */
  readonly title: string | null;
  /** Null: a free place on the last page. */
  readonly placement: OwnPlacement | null;
  readonly written?: readonly SelfSignField[];
  readonly ifFixable: "accept" | "accept_alike" | "refuse";
};

type Access = Pick<Platform, "files" | "newId"> & PdfAccess;

/** Only a corrected copy is already stored. */
export type PlacedDocument = Omit<OwnEnvelope, "prepared">;

/**
 * Stores the prepared revision; writes no row.
 * Errors: those of `prepareBytes`; `storage_full`.
 */
export async function storePrepared(
  access: Access,
  placed: PlacedDocument,
): Promise<Result<OwnEnvelope>> {
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
 * Checks the file, corrects it if accepted, and places the signature. A sound file is not
 * rehearsed: `completeOwnDocument` follows.
 * Errors: those of `receiveDocument`; `copy_to_accept`; `copy_differs`; `validation`;
 * `unsupported_character`; `not_ready_to_send` without a free place; `page_covered`;
 * `storage_full`.
 */
export async function placeOwnDocument(
  access: Access,
  own: OwnDocument,
): Promise<Result<PlacedDocument>> {
  const character = firstUnprinted(own.actor.user.full_name);
  if (character !== null)
    return failure(problem("unsupported_character", { params: { character } }));
  const received = await receiveDocument(access, own.file, { rehearsal: "by_signing" });
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

/** Says why a file cannot be signed; null if its rehearsal passes. */
export async function refusalOfRehearsal(access: PdfAccess, file: OwnDocument["file"]) {
  const received = await receiveDocument(access, file);
  return received.ok ? null : received;
}

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
      member: "file",
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

function copyToAccept({ name, control }: ReceivedDocument) {
  return problem("copy_to_accept", {
    errors: { file: [problemSentence(problem("copy_to_accept"))] },
    extensions: { file_name: name, findings: presentFindings(control.findings) },
  });
}
