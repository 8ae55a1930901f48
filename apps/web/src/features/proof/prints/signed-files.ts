import type { Proof } from "@paraphe/contracts";
import { documentAddress } from "./proof-calls.ts";

/** A signed file that may be shown. `hash`: SHA-256 in hexadecimal; null, as its pages, where the proof does not say. */
export type SignedFile = {
  readonly name: string;
  readonly address: string;
  readonly hash: string | null;
  readonly pageCount: number | null;
};

/** A page of a file, by its place among those shown; from 1. */
export type PagePlace = { readonly index: number; readonly page: number };

/** The files that the page may show. Where the proof gives no address, it is built from what the QR code holds (specification §7). */
export function signedFiles(uuid: string, sig: string, proof: Proof): readonly SignedFile[] {
  // Nothing is shown of what its owner took back, or keeps to themselves, whatever address could be built.
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
  // Nothing is wrong, and nobody signed: there is no signed file yet.
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
