import type { Proof } from "@paraphe/contracts";
import { documentAddress } from "./proof-calls.ts";

/** `hash`: SHA-256 in hexadecimal, null where unknown. */
export type SignedFile = {
  readonly name: string;
  readonly address: string;
  readonly hash: string | null;
  readonly pageCount: number | null;
};

export type PagePlace = { readonly index: number; readonly page: number };

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
  // Nobody signed: no signed file yet.
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

export type ComparedDocument = Omit<Proof["documents"][number], "document_url">;

/** The file that the proof is about, when the proof lists none. */
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
