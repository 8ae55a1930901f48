import type { Document } from "@paraphe/contracts";
import type { Draft } from "./draft.ts";
import { stepFault } from "./step-fault.ts";

/** Gives the index of the furthest step that what is in a draft leads to: its files, then its people, then its fields are there. */
export function reachedStep(draft: Draft, documents: readonly Document[], at: Date): number {
  const now = { draft, documents, isUploading: false, refused: {}, at };
  if (stepFault("documents", now) !== null || stepFault("recipients", now) !== null) return 0;
  return draft.fields.length > 0 ? 3 : 2;
}
