import { firstUnprinted } from "@paraphe/contracts";
import type { DraftField } from "./draft.ts";

/** Gives the first character of a field's label or of its sentence that no font of the documents draws; null when each is drawn. */
export function unprintedInField({ label, value }: Pick<DraftField, "label" | "value">): string | null {
  return firstUnprinted(label ?? "") ?? firstUnprinted(value ?? "");
}
