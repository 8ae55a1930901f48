import type { BroughtThings, ProofReport } from "@paraphe/proof";

/** What the worker is asked, by the reader's own files: `certificates` are PEM or DER, `keySets` sets of keys of the seal (JWK). */
export type CheckQuestion = Omit<BroughtThings, "roots" | "sealKeys"> & {
  readonly certificates: readonly Uint8Array[];
  readonly keySets: readonly Uint8Array[];
};
export type CheckAnswer = { readonly report: ProofReport } | { readonly error: string };
