import { FIELD_KINDS, failure, type FieldType, type Result, success } from "@paraphe/contracts";
import type { FieldPlacement } from "@paraphe/pades";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import { type StoredDocument, pdfFieldPrefix, pdfFieldName } from "./domain/document.ts";
import { freeBytes, storeBytes } from "./revise-documents.ts";
import { refusalOver } from "./receive-document.ts";

export type FieldToPrepare = {
  readonly id: string;
  readonly documentId: string;
  readonly recipientId: string;
  readonly type: FieldType;
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly label: string | null;
};
type DocumentToPrepare = Pick<StoredDocument, "id" | "name" | "original">;
type PreparationRequest = {
  readonly envelopeId: string;
  readonly documents: readonly DocumentToPrepare[];
  readonly fields: readonly FieldToPrepare[];
  /** Each has one signature field in each document. */
  readonly signers: readonly { readonly id: string }[];
};
/** Stored without a row yet: the send's transaction runs `addRevision`. */
export type PreparedDocument = {
  readonly documentId: string;
  readonly bytes: Uint8Array;
  readonly sha256: Uint8Array;
};

/**
 * Adds every field of every recipient in one incremental update, so that signing only fills them
 * in.
 * Errors: `storage_full`; a `pdf_*` refusal when a file cannot take fields.
 * Source: signatures §1, 'Prepared revision'.
 */
export async function prepareRevision(
  platform: Pick<Platform, "files"> & PdfAccess,
  request: PreparationRequest,
): Promise<Result<readonly PreparedDocument[]>> {
  const prepared: Omit<PreparedDocument, "sha256">[] = [];
  for (const document of request.documents) {
    const outcome = await tryPrepare(platform, request, document);
    if (!outcome.ok) return outcome;
    prepared.push(outcome.value);
  }
  const stored = await storeBytes(
    platform,
    prepared.map((document) => document.bytes),
  );
  if (!stored.ok) return stored;
  return success(
    prepared.map((document, index) => ({ ...document, sha256: stored.value[index] as Uint8Array })),
  );
}

async function tryPrepare(
  platform: Pick<Platform, "files"> & PdfAccess,
  request: PreparationRequest,
  document: DocumentToPrepare,
): Promise<Result<{ documentId: string; bytes: Uint8Array }>> {
  try {
    return success(await prepareDocument(platform, request, document));
  } catch (error) {
    const refusal = refusalOver(document.name, error);
    if (refusal === null) throw new Error("A document could not be prepared", { cause: error });
    return failure(refusal);
  }
}

async function prepareDocument(
  platform: Pick<Platform, "files"> & PdfAccess,
  request: PreparationRequest,
  document: DocumentToPrepare,
): Promise<{ documentId: string; bytes: Uint8Array }> {
  // Numbers: a name may still be corrected.
  const signers = new Map(
    request.signers.length > 1
      ? request.signers.map(({ id }, index) => [id, `signataire ${index + 1}`])
      : [],
  );
  const original = await platform.files.get(document.original.sha256);
  const bytes = await platform.sandbox.call("prepareFields", original, {
    namePrefix: pdfFieldPrefix(request.envelopeId),
    ownerKeys: request.signers.map((signer) => signer.id),
    fields: request.fields
      .filter((field) => field.documentId === document.id)
      .map((field) => fieldToPrepare(field, signers.get(field.recipientId) ?? "")),
  });
  freeBytes(original);
  return { documentId: document.id, bytes };
}

function fieldToPrepare(field: FieldToPrepare, signer: string): FieldPlacement {
  return {
    name: pdfFieldName(field.id),
    ownerKey: field.recipientId,
    type: field.type,
    pageNumber: field.page,
    x: field.x,
    y: field.y,
    width: field.width,
    height: field.height,
    label: field.label ?? "",
    tooltip: tooltipOf(field, signer),
  };
}

function tooltipOf(field: FieldToPrepare, signer: string): string {
  return [field.label || FIELD_KINDS[field.type].title, signer]
    .filter((part) => part !== "")
    .join(" – ");
}

/** Gives the fields of a single signer, as the core takes them. */
export function ownFieldsToPrepare({
  envelopeId,
  fields,
  signer,
}: Pick<BytesToPrepare, "envelopeId" | "fields" | "signer">) {
  return {
    namePrefix: pdfFieldPrefix(envelopeId),
    ownerKeys: [signer.id],
    fields: fields.map((field) => fieldToPrepare(field, signer.fullName)),
  };
}

type BytesToPrepare = {
  readonly envelopeId: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly fields: readonly FieldToPrepare[];
  readonly signer: { readonly id: string; readonly fullName: string };
};

/**
 * Stores nothing. Errors: a `pdf_*` refusal when the file cannot take fields;
 * `service_unavailable`.
 */
export async function prepareBytes(
  platform: PdfAccess,
  own: BytesToPrepare,
): Promise<Result<Uint8Array>> {
  try {
    return success(
      await platform.sandbox.call("prepareFields", own.bytes, ownFieldsToPrepare(own)),
    );
  } catch (error) {
    const refusal = refusalOver(own.name, error, "file");
    if (refusal === null) throw new Error("A document could not be prepared", { cause: error });
    return failure(refusal);
  }
}
