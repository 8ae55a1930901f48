import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import type { ReceivedDocument } from "./domain/document.ts";
import { holdBytes } from "./hold-bytes.ts";
import { insertDocuments } from "./insert-documents.ts";
import type { NormalisedCopy } from "./normalise-documents.ts";
import { deleteDocumentRows, type DocumentName, replaceOriginal, updateNames, updatePositions } from "./store.ts";

/** What a draft's documents become. `order`: the ids that stay, in their new order; what is added comes after. */
export type DocumentsRevision = {
  readonly envelopeId: string;
  readonly remove: readonly string[];
  readonly order: readonly string[];
  readonly rename: readonly DocumentName[];
  readonly accept: readonly NormalisedCopy[];
  readonly add: readonly ReceivedDocument[];
};

/** Changes the documents of a draft whose lock is held: removes, puts accepted copies in the place of their originals, renames, adds, then numbers them from 1. */
export async function reviseDocuments(trx: Transaction, platform: Platform, revision: DocumentsRevision): Promise<void> {
  await deleteDocumentRows(trx, revision.remove);
  await holdBytes(trx, platform, revision.accept);
  for (const copy of revision.accept)
    await replaceOriginal(trx, { documentId: copy.documentId, sha256: copy.sha256, sizeBytes: copy.bytes.length });
  const added = await insertDocuments(trx, platform, {
    envelopeId: revision.envelopeId,
    firstPosition: revision.order.length + 1,
    documents: revision.add,
  });
  await updateNames(trx, revision.rename);
  await updatePositions(trx, [...revision.order, ...added]);
}
