import type { Proof } from "@paraphe/contracts";
import { documentAddress } from "./proof-calls.ts";

/** A signed file that may be shown. `hash`: SHA-256 in hexadecimal, null where unknown. */
export type SignedFile = {
  readonly name: string;
  readonly address: string;
  readonly hash: string | null;
  readonly pageCount: number | null;
};

/** A page of a shown file; `index` from 0, `page` from 1. */
export type PagePlace = { readonly index: number; readonly page: number };

/** Gives the files that the page may show. */
export function signedFiles(uuid: string, sig: string, proof: Proof): readonly SignedFile[] {
  if (proof.purged || proof.cancelled || proof.proof_only) return [];
  const named = proof.documents.flatMap(({ name, document_url, hash_sha256, page_count }) =>
    document_url
      ? [
          {
            name: name ?? "Document",
            address: document_url,
            hash: hash_sha256,
            pageCount: page_count,
          },
        ]
      : [],
  );
  if (named.length > 0) return named;
  // Nobody signed: there is no signed file yet.
  if (proof.verdict === "indeterminate" && proof.signers.every(({ signed }) => !signed)) return [];
  const address = documentAddress(uuid, sig, proof.document_url);
  return [
    {
      name: proof.title ?? "Document",
      address,
      hash: proof.hash_sha256,
      pageCount: proof.documents[0]?.page_count ?? null,
    },
  ];
}

/** A signed file, by its fingerprints. */
export type ComparedDocument = Omit<Proof["documents"][number], "document_url">;

/** Gives the files to compare with: where the proof lists none, the one that it is about. */
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
