import type { Envelope } from "@paraphe/contracts";
import type { Draft } from "./draft.ts";

export type SaveStatus =
  | { readonly kind: "clean" | "dirty" | "gone" | "sent" }
  /** `failure`: why what is on its way did not pass before, when it did not. */
  | { readonly kind: "saving"; readonly failure?: unknown }
  /** `at`: when it was changed elsewhere, as far as the service could be asked. */
  | { readonly kind: "conflict"; readonly at: Date | null }
  | { readonly kind: "saved"; readonly at: Date }
  | { readonly kind: "failed"; readonly error: unknown };
export type DraftState = { readonly envelope: Envelope | null; readonly draft: Draft; readonly status: SaveStatus };
