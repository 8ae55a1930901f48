import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { ReceivedDocument } from "./domain/document.ts";
import { holdBytes } from "./hold-bytes.ts";
import type { NormalisedCopy } from "./normalise-documents.ts";
import { insertDocumentRows } from "./store.ts";

export type Placement = { readonly envelopeId: string; readonly firstPosition: number };

/** `ids` when the caller has made them; `copies`: corrected copies accepted already, each original in the place of its upload. */
export type NewDocuments = Placement & {
  readonly documents: readonly ReceivedDocument[];
  readonly ids?: readonly string[];
  readonly copies?: readonly NormalisedCopy[];
};

/** Adds received documents, already in storage, to an envelope; gives their ids, in order. */
export async function insertDocuments(trx: Transaction, platform: Platform, request: NewDocuments): Promise<string[]> {
  await holdDocuments(trx, platform, request);
  return insertHeldDocuments(trx, platform, request);
}

/** The first half: no purge takes their bytes before the transaction ends. */
export function holdDocuments(
  trx: Transaction,
  platform: Platform,
  { documents, copies = [] }: Pick<NewDocuments, "documents" | "copies">,
): Promise<void> {
  return holdBytes(trx, platform, [...documents, ...copies]);
}

/** The second half, for bytes that are held. Its statements are sent before it returns: what refers to the rows may be begun with it, after it. */
export async function insertHeldDocuments(trx: Transaction, platform: Platform, request: NewDocuments): Promise<string[]> {
  const copies = new Map((request.copies ?? []).map((copy) => [copy.documentId, copy]));
  const rows = request.documents.map((document, index) => ({
    id: request.ids?.[index] ?? platform.newId(),
    envelopeId: request.envelopeId,
    position: request.firstPosition + index,
    name: document.name,
    pageCount: document.pageCount,
    pages: document.pages,
    control: document.control,
    sha256: document.sha256,
    sizeBytes: document.bytes.length,
    createdAt: platform.clock(),
  }));
  await insertDocumentRows(
    trx,
    rows.map((row) => {
      const copy = copies.get(row.id);
      return copy === undefined ? row : { ...row, copy: { sha256: copy.sha256, sizeBytes: copy.bytes.length } };
    }),
  );
  return rows.map((row) => row.id);
}
