import {
  failure,
  MAX_TITLE_LENGTH,
  problem,
  problemSentence,
  type Result,
  type SelfSignField,
  success,
  titleOfFile,
} from "@paraphe/contracts";
import { loadPrintableCharacters } from "../../platform/fonts/printable-characters.ts";
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
import { type Actor, type EnvelopeField, freePlace, type OwnEnvelope } from "../envelopes/public.ts";
import { type OwnPlacement, ownPlaces } from "./domain/own-places.ts";
import { lostField } from "./write-own-fields.ts";

/** One PDF of one's own to sign. */
export type OwnDocument = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  /** Null: the file's name. */
  readonly title: string | null;
  /** Null: a free place on the last page. */
  readonly placement: OwnPlacement | null;
  /** What stands beside the signature, its values as they will be printed. */
  readonly written?: readonly SelfSignField[];
  /** What is done with a file that must be corrected before it can be signed. `accept_alike`: its copy is taken if it looks the same, page by page. */
  readonly ifFixable: "accept" | "accept_alike" | "refuse";
};

type Access = Pick<Platform, "files" | "newId"> & PdfAccess;

/** An envelope ready to be prepared: nothing of it is in storage but the corrected copy, if there is one. */
export type PlacedDocument = Omit<OwnEnvelope, "prepared">;

/**
 * Makes the prepared revision of a placed document, for a signature that comes later; it and the upload are in storage, no row is written.
 * Errors: those of `prepareBytes`; `storage_full`.
 */
export async function storePrepared(access: Access, placed: PlacedDocument): Promise<Result<OwnEnvelope>> {
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
  return success({ ...placed, prepared: { documentId, bytes, sha256: stored.value[1] as Uint8Array } });
}

/**
 * Controls a file, corrects it if that was accepted, and places the signature.
 * Errors: those of `receiveDocument`; `copy_to_accept`; `copy_differs`; `validation` of the placement and of `lostField`; `unsupported_character` of the signer's name;
 * `not_ready_to_send` when no place is free; `page_covered`; `storage_full`.
 */
export async function placeOwnDocument(access: Access, own: OwnDocument): Promise<Result<PlacedDocument>> {
  const { firstMissing } = await loadPrintableCharacters();
  const character = firstMissing(own.actor.user.full_name);
  if (character !== null) return failure(problem("unsupported_character", { params: { character } }));
  const received = await receiveDocument(access, own.file);
  if (!received.ok) return received;
  const document = received.value;
  if (document.control.result === "fixable" && own.ifFixable === "refuse") return failure(copyToAccept(document));
  const places = placesIn(document, own.placement);
  if (!places.ok) return places;
  const written = own.written ?? [];
  const lost = lostField(written, document.pageCount);
  if (lost !== null) return lost;
  const [id, documentId, recipientId] = [access.newId(), access.newId(), access.newId()];
  const ofOwner = { documentId, recipientId, required: true, label: null } as const;
  const fields = [
    ...places.value.map((place): EnvelopeField => ({ ...place, ...ofOwner, type: "signature", value: null, id: access.newId() })),
    ...written.map(
      (field): EnvelopeField => ({ ...field, ...ofOwner, page: field.page === -1 ? document.pageCount : field.page, id: access.newId() }),
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
  return success({ id, actor: own.actor, title, recipientId, documentId, document, copy: copy.value, fields });
}

/** Gives the corrected copy of an upload that needs one, both in storage; null for another. */
async function correctedCopy(
  access: Access,
  { documentId, document }: { readonly documentId: string; readonly document: ReceivedDocument },
): Promise<Result<NormalisedCopy | null>> {
  if (document.control.result === "ok") return success(null);
  const stored = await storeBytes(access, [document.bytes]);
  if (!stored.ok) return stored;
  const { name, control } = document;
  const copies = await normaliseDocuments(access, [
    { id: documentId, name, control, normalisedAccepted: false, original: originalRevision(document) },
  ]);
  return copies.ok ? success(copies.value[0] ?? null) : copies;
}

function originalRevision({ bytes, sha256 }: { readonly bytes: Uint8Array; readonly sha256: Uint8Array }) {
  return { number: 0, kind: "original", sha256, sizeBytes: bytes.length } as const;
}

function placesIn(document: ReceivedDocument, placement: OwnPlacement | null) {
  if (placement !== null) return ownPlaces(placement, document.pageCount);
  const place = freePlace(document);
  return place.ok ? ownPlaces({ ...place.value, page: -1 }, document.pageCount) : place;
}

/** What is wrong is said, so that the person can accept the corrected copy. */
function copyToAccept({ name, control }: ReceivedDocument) {
  return problem("copy_to_accept", {
    errors: { files: [problemSentence(problem("copy_to_accept"))] },
    extensions: { file_name: name, findings: presentFindings(control.findings) },
  });
}
