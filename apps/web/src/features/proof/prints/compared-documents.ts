import type { Proof } from "@paraphe/contracts";

/** A signed file, by its fingerprints. */
export type ComparedDocument = Omit<Proof["documents"][number], "document_url">;

/** The files that somebody's own may be compared with: the one that the proof is of, where it lists none. */
export function comparedDocuments({
  documents,
  hash_sha256,
  hash_md5,
}: Proof): readonly ComparedDocument[] {
  if (documents.length > 0) return documents;
  return hash_sha256 === null ? [] : [{ name: null, hash_sha256, hash_md5, page_count: null }];
}

export function compareTitle(documents: readonly ComparedDocument[]): string {
  return documents.length > 1 ? "Comparer avec mes fichiers" : "Comparer avec mon fichier";
}
