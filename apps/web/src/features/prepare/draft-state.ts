import type { Envelope } from "@paraphe/contracts";
import type { Draft } from "./draft.ts";

export type SaveStatus =
  | { readonly kind: "clean" | "dirty" | "saving" | "gone" | "sent" }
  /** `at`: when it was changed elsewhere, as far as the service could be asked. */
  | { readonly kind: "conflict"; readonly at: Date | null }
  | { readonly kind: "saved"; readonly at: Date }
  | { readonly kind: "failed"; readonly error: unknown };
export type DraftState = { readonly envelope: Envelope | null; readonly draft: Draft; readonly status: SaveStatus };
