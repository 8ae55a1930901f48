import { failure, type FieldType, type Result, success } from "@paraphe/contracts";
import type { FieldPlacement } from "@paraphe/pades";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import type { StoredDocument } from "./domain/document.ts";
import { refusalOver } from "./sandbox-refusal.ts";
import { storeBytes } from "./store-bytes.ts";

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
export type DocumentToPrepare = Pick<StoredDocument, "id" | "name" | "original">;
export type PreparationRequest = {
  readonly envelopeId: string;
  readonly documents: readonly DocumentToPrepare[];
  readonly fields: readonly FieldToPrepare[];
  /** Everybody who will sign: each gets exactly one signature field in each document. */
  readonly signers: readonly { readonly id: string; readonly fullName: string }[];
};
/** Stored, not yet referred to by a row: give it to `addRevision` in the transaction of the send. */
export type PreparedDocument = { readonly documentId: string; readonly bytes: Uint8Array; readonly sha256: Uint8Array };

/**
 * Makes the prepared revision of every document: one incremental update with every field of every recipient, so that signing later only fills them in.
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
  return success(prepared.map((document, index) => ({ ...document, sha256: stored.value[index] as Uint8Array })));
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
  const names = new Map(request.signers.map((signer) => [signer.id, signer.fullName]));
  const bytes = await platform.sandbox.call("prepareFields", await platform.files.get(document.original.sha256), {
    namePrefix: pdfFieldPrefix(request.envelopeId),
    ownerKeys: request.signers.map((signer) => signer.id),
    fields: request.fields
      .filter((field) => field.documentId === document.id)
      .map((field) => fieldToPrepare(field, names.get(field.recipientId) ?? "")),
  });
  return { documentId: document.id, bytes };
}

/** Gives a field as the core prepares it. */
export function fieldToPrepare(field: FieldToPrepare, signerName: string): FieldPlacement {
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
    tooltip: tooltipOf(field, signerName),
  };
}

const TYPE_WORDS: Readonly<Record<FieldType, string>> = {
  signature: "Signature",
  initials: "Paraphe",
  date: "Date",
  name: "Nom",
  text: "Texte",
  checkbox: "Case à cocher",
  mention: "Mention manuscrite",
};

/** What a screen reader says of the field. */
function tooltipOf(field: FieldToPrepare, signerName: string): string {
  return [field.label || TYPE_WORDS[field.type], signerName].filter((part) => part !== "").join(" – ");
}

/** Gives what our field names in a PDF begin with: the envelope's id, so that they never meet the file's own. It holds no '.', which would cut a name in two. */
export function pdfFieldPrefix(envelopeId: string): string {
  return envelopeId;
}

/** Gives a field's name within a document, after the prefix. */
export function pdfFieldName(fieldId: string): string {
  return fieldId;
}
