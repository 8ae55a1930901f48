import type { Transaction } from "../../platform/database/database.ts";
import { together } from "../../platform/database/together.ts";
import type { Platform } from "../../platform/platform.ts";
import type { ReceivedDocument } from "./domain/document.ts";
import { holdBytes } from "./hold-bytes.ts";
import type { NormalisedCopy } from "./normalise-documents.ts";
import { insertDocumentRows } from "./store.ts";

/** The one document of an envelope that was signed in one go; all its bytes are in storage. */
export type NewCompletedDocument = {
  readonly envelopeId: string;
  readonly id: string;
  readonly document: ReceivedDocument;
  /** The corrected copy that was accepted, which is signed in the place of the upload. */
  readonly copy: NormalisedCopy | null;
  /** Its last revision, and who signed it. */
  readonly completed: { readonly sha256: Uint8Array; readonly sizeBytes: number; readonly recipientId: string };
};

/**
 * Adds documents with their original and their completed revision, no purge taking their bytes before the transaction ends. Its statements are sent
 * before it returns: what refers to the rows may be begun with it, after it.
 */
export async function insertCompletedDocuments(
  trx: Transaction,
  platform: Pick<Platform, "clock" | "files">,
  list: readonly NewCompletedDocument[],
): Promise<void> {
  const createdAt = platform.clock();
  const held = list.flatMap(({ document, copy, completed }) => [document, ...(copy === null ? [] : [copy]), { ...completed, bytes: null }]);
  const rows = list.map(({ envelopeId, id, document, copy, completed }) => ({
    id,
    envelopeId,
    position: 1,
    name: document.name,
    pageCount: document.pageCount,
    pages: document.pages,
    control: document.control,
    sha256: document.sha256,
    sizeBytes: document.bytes.length,
    ...(copy === null ? {} : { copy: { sha256: copy.sha256, sizeBytes: copy.bytes.length } }),
    completed,
    createdAt,
  }));
  await together([holdBytes(trx, platform, held), insertDocumentRows(trx, rows)]);
}
