import type { Envelope } from "@paraphe/contracts";
import { type Draft, type DraftPart, draftOf, NEW_DRAFT } from "./draft.ts";
import { adoptIds } from "./draft-ids.ts";
import type { DraftState } from "./draft-state.ts";
import type { KeptEdits } from "./kept-edits.ts";
import { type SentParts, UnansweredSaves } from "./unanswered-saves.ts";

/** Where a keeper starts from: what it shows, the parts the service does not have, and what was sent of them and not answered. */
export type DraftStart = { readonly state: DraftState; readonly dirty: readonly DraftPart[]; readonly sent?: readonly SentParts[] };

const ALL_PARTS: readonly DraftPart[] = [
  "title",
  "message",
  "deadline",
  "isSequential",
  "remindEveryDays",
  "proofOnly",
  "recipients",
  "fields",
];

/** A new envelope, as far as it was typed before its first file. */
export function newStart(draft: Draft = NEW_DRAFT): DraftStart {
  const dirty = ALL_PARTS.filter((part) => draft[part] !== NEW_DRAFT[part]);
  return { state: { envelope: null, draft, status: { kind: dirty.length > 0 ? "dirty" : "clean" } }, dirty };
}

/**
 * A draft the service has, with what was typed of it and never reached it. Typed over another version, it is a conflict like any, unless that
 * version is the page's own: its last save arrived, and the page was gone before it heard so.
 */
export function draftStart(envelope: Envelope, kept?: KeptEdits): DraftStart {
  if (!kept) return { state: { envelope, draft: draftOf(envelope), status: { kind: "clean" } }, dirty: [] };
  const { draft, dirty, version, sent } = kept;
  if (version === envelope.version) return { state: { envelope, draft, status: { kind: "dirty" } }, dirty, sent };
  if (new UnansweredSaves(sent).explain(envelope, { version }))
    return { state: { envelope, draft: adoptIds(draft, { before: draft, answer: envelope }), status: { kind: "dirty" } }, dirty };
  return { state: { envelope, draft, status: { kind: "conflict", at: new Date(envelope.updated_at) } }, dirty };
}
