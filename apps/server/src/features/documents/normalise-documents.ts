import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { PdfAccess } from "../../platform/pdf-sandbox/pdf-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import type { StoredDocument } from "./domain/document.ts";
import { fileRefusal } from "./file-refusal.ts";
import { refusalOver } from "./sandbox-refusal.ts";
import { storeBytes } from "./store-bytes.ts";

/** A corrected copy, in storage, not yet referred to by a row. */
export type NormalisedCopy = { readonly documentId: string; readonly bytes: Uint8Array; readonly sha256: Uint8Array };

export type DocumentToNormalise = Pick<StoredDocument, "id" | "name" | "original" | "control" | "normalisedAccepted">;

/**
 * Makes the corrected copies of the documents that need one and have none yet: what their sender accepts, and what will be signed.
 * Errors: a `pdf_*` refusal when a file cannot be corrected; `storage_full`.
 * Source: security §2, 'Contrôle du document'.
 */
export async function normaliseDocuments(
  platform: Pick<Platform, "files"> & PdfAccess,
  documents: readonly DocumentToNormalise[],
): Promise<Result<readonly NormalisedCopy[]>> {
  const copies: Omit<NormalisedCopy, "sha256">[] = [];
  for (const document of documents.filter((one) => one.control.result === "fixable" && !one.normalisedAccepted)) {
    const bytes = await normalise(platform, document);
    if (!bytes.ok) return bytes;
    copies.push({ documentId: document.id, bytes: bytes.value });
  }
  const stored = await storeBytes(
    platform,
    copies.map((copy) => copy.bytes),
  );
  if (!stored.ok) return stored;
  return success(copies.map((copy, index) => ({ ...copy, sha256: stored.value[index] as Uint8Array })));
}

async function normalise(platform: Pick<Platform, "files"> & PdfAccess, document: DocumentToNormalise): Promise<Result<Uint8Array>> {
  try {
    const bytes = await platform.sandbox.call("normalise", await platform.files.get(document.original.sha256));
    // What is offered for signing passes the control by itself.
    const { result } = await platform.sandbox.call("inspect", bytes);
    return result === "ok" ? success(bytes) : failure(fileRefusal(document.name, problem("pdf_damaged")));
  } catch (error) {
    const refusal = refusalOver(document.name, error);
    if (refusal === null) throw new Error("A document could not be normalised", { cause: error });
    return failure(refusal);
  }
}
