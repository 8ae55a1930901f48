import { visibleText } from "@paraphe/contracts";
import type { DraftField } from "./draft.ts";

/** A mention whose sentence is still to be written. */
export function isSilentMention({ type, value }: Pick<DraftField, "type" | "value">): boolean {
  return type === "mention" && visibleText(value ?? "").trim() === "";
}
