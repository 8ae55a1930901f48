import type { Reader } from "../../platform/database/database.ts";
import type { StoredDocument } from "./domain/document.ts";
import { selectDocuments } from "./store.ts";

/** Gives an envelope's documents, in order. */
export async function loadDocuments(reader: Reader, envelopeId: string): Promise<readonly StoredDocument[]> {
  return (await selectDocuments(reader, [envelopeId])).get(envelopeId) ?? [];
}

/** Gives the documents of several envelopes, in one statement: envelope id → documents, in order. */
export async function loadDocumentsOf(
  reader: Reader,
  envelopeIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredDocument[]>> {
  return selectDocuments(reader, envelopeIds);
}
