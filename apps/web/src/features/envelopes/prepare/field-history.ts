import type { DraftField } from "./draft.ts";

type Fields = readonly DraftField[];
/** A change that can be taken back: what the fields were before it, and its name. `mergeKey` makes one step of changes that follow closely. */
type Step = { readonly fields: Fields; readonly label: string; readonly mergeKey: string | null; readonly at: number };
export type FieldHistory = { readonly past: readonly Step[]; readonly future: readonly Step[] };
export type Restored = { readonly history: FieldHistory; readonly fields: Fields; readonly label: string };

export const EMPTY_HISTORY: FieldHistory = { past: [], future: [] };
const MOST_STEPS = 100;
/** An arrow key held down is one step. */
const MERGE_WITHIN_MS = 1_000;

/** Notes a change. What had been taken back cannot be put back any more. */
export function recordChange(
  history: FieldHistory,
  { before, label, mergeKey, now }: { before: Fields; label: string; mergeKey: string | null; now: number },
): FieldHistory {
  const last = history.past.at(-1);
  if (last && mergeKey !== null && last.mergeKey === mergeKey && now - last.at <= MERGE_WITHIN_MS)
    return { past: [...history.past.slice(0, -1), { ...last, at: now }], future: [] };
  return { past: [...history.past.slice(1 - MOST_STEPS), { fields: before, label, mergeKey, at: now }], future: [] };
}

/** Takes the last change back; null when there is none. */
export function undoChange(history: FieldHistory, present: Fields): Restored | null {
  const step = history.past.at(-1);
  if (!step) return null;
  const undone = { ...step, fields: present, mergeKey: null };
  return { history: { past: history.past.slice(0, -1), future: [...history.future, undone] }, fields: step.fields, label: step.label };
}

/** Puts back the change taken back last; null when there is none. */
export function redoChange(history: FieldHistory, present: Fields): Restored | null {
  const step = history.future.at(-1);
  if (!step) return null;
  const redone = { ...step, fields: present, mergeKey: null };
  return { history: { past: [...history.past, redone], future: history.future.slice(0, -1) }, fields: step.fields, label: step.label };
}

/**
 * Fits fields of an earlier moment to the present draft: the ids are those the service knows now, and a field whose document or recipient has gone since
 * stays away.
 */
export function fieldsForPresent(
  earlier: Fields,
  present: { readonly fields: Fields; readonly documentIds: readonly string[]; readonly recipientKeys: readonly string[] },
): Fields {
  const ids = new Map(present.fields.map((field) => [field.key, field.id]));
  return earlier
    .filter((field) => present.documentIds.includes(field.documentId) && present.recipientKeys.includes(field.recipientKey))
    .map(({ id: _then, ...field }) => {
      const id = ids.get(field.key);
      return id === undefined ? field : { ...field, id };
    });
}
