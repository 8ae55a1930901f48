import type { Envelope } from "@paraphe/contracts";
import { type Draft, type DraftPart, draftOf, NEW_DRAFT } from "./draft.ts";
import type { DraftState } from "./draft-state.ts";
import type { KeptEdits } from "./kept-edits.ts";

/** Where a keeper starts from: what it shows, and the parts the service does not have. */
export type DraftStart = { readonly state: DraftState; readonly dirty: readonly DraftPart[] };

export const ALL_PARTS: readonly DraftPart[] = ["title", "message", "deadline", "isSequential", "remindEveryDays", "recipients", "fields"];

/** A new envelope, as far as it was typed before its first file. */
export function newStart(draft: Draft = NEW_DRAFT): DraftStart {
  const dirty = ALL_PARTS.filter((part) => draft[part] !== NEW_DRAFT[part]);
  return { state: { envelope: null, draft, status: { kind: dirty.length > 0 ? "dirty" : "clean" } }, dirty };
}

/** A draft the service has, with what was typed of it and never reached it; typed over another version, it is a conflict like any. */
export function draftStart(envelope: Envelope, kept?: KeptEdits): DraftStart {
  if (!kept) return { state: { envelope, draft: draftOf(envelope), status: { kind: "clean" } }, dirty: [] };
  const isSame = kept.version === envelope.version;
  const status = isSame ? ({ kind: "dirty" } as const) : ({ kind: "conflict", at: new Date(envelope.updated_at) } as const);
  return { state: { envelope, draft: kept.draft, status }, dirty: kept.dirty };
}
