import { createHash } from "node:crypto";
import type { Document } from "@paraphe/contracts";
import type { StoredDocument } from "./domain/document.ts";
import { presentFindings } from "./domain/findings.ts";

/**
 * Gives one SHA-256 over what a signer agrees to: each document's id and original hash, in order.
 * It stays the same while others sign (each signature only adds to those bytes), and changes if a document is replaced, added, removed or moved.
 */
export function documentsDigest(
  documents: readonly Pick<StoredDocument, "id" | "position" | "original">[],
): Uint8Array {
  const hash = createHash("sha256");
  for (const document of [...documents].sort((left, right) => left.position - right.position)) {
    hash.update(document.id).update("\n").update(document.original.sha256);
  }
  return new Uint8Array(hash.digest());
}

/** Gives a document as the contract has it. `sha256` and `size` are those of the current bytes: what `documents/{docId}/file/` serves. */
export function presentDocument(document: StoredDocument): Document {
  return {
    id: document.id,
    name: document.name,
    size: document.current.sizeBytes,
    page_count: document.pageCount,
    sha256: Buffer.from(document.current.sha256).toString("hex"),
    pages: document.pages.map(({ width, height, rotation }) => ({ width, height, rotation })),
    order: document.position,
    control: {
      result: document.control.result,
      findings: [...presentFindings(document.control.findings)],
      accepted: document.normalisedAccepted,
    },
  };
}
