import type { BroughtReport, BroughtThings } from "@paraphe/proof";

/** What is to be checked, by the reader's own files: `certificates` are PEM or DER, `keySets` sets of keys of the seal (JWK). */
export type Brought = Omit<BroughtThings, "roots" | "sealKeys"> & {
  readonly certificates: readonly Uint8Array[];
  readonly keySets: readonly Uint8Array[];
};
/** What the worker is asked: to check, or what the code on a photograph says, null where none can be read. */
export type WorkerQuestion =
  | { readonly ask: "check"; readonly brought: Brought }
  | { readonly ask: "code"; readonly photo: Uint8Array };
export type Answers = { readonly check: BroughtReport; readonly code: string | null };
export type WorkerAnswer = { readonly answer: Answers[keyof Answers] } | { readonly error: string };
