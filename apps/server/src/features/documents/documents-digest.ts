import { createHash } from "node:crypto";
import type { StoredDocument } from "./domain/document.ts";

/**
 * Gives one SHA-256 over what a signer agrees to: each document's id and original hash, in order.
 * It stays the same while others sign (each signature only adds to those bytes), and changes if a document is replaced, added, removed or moved.
 */
export function documentsDigest(documents: readonly Pick<StoredDocument, "id" | "position" | "original">[]): Uint8Array {
  const hash = createHash("sha256");
  for (const document of [...documents].sort((left, right) => left.position - right.position)) {
    hash.update(document.id).update("\n").update(document.original.sha256);
  }
  return new Uint8Array(hash.digest());
}
