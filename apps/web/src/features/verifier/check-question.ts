import type { BroughtThings, ProofReport } from "@paraphe/proof";

/** What the worker is asked: `certificates` are the reader's own files, PEM or DER. */
export type CheckQuestion = Omit<BroughtThings, "roots"> & { readonly certificates: readonly Uint8Array[] };
export type CheckAnswer = { readonly report: ProofReport } | { readonly error: string };
