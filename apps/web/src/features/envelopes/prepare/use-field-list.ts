import { type Document, MAX_FIELDS } from "@paraphe/contracts";
import { useRef } from "react";
import { announce } from "../../../lib/announce.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { DraftField } from "./draft.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { EMPTY_HISTORY, fieldsForPresent, recordChange, type Restored, redoChange, undoChange } from "./field-history.ts";

/** A change's name as it is said when it is taken back, and what makes one step of several. */
export type ChangeName = { readonly label: string; readonly mergeKey?: string };
/** The draft's fields, with what they were before each change. */
export type FieldList = {
  all(): readonly DraftField[];
  save(fields: readonly DraftField[], name: ChangeName): void;
  /** False when there would be more fields than an envelope may hold: nothing is added, and the person is told. */
  add(fields: readonly DraftField[], name: ChangeName): boolean;
  /** False when there is nothing to take back. */
  undo(): boolean;
  redo(): boolean;
};

/** Reads and writes the draft's fields; each change can be taken back and put back. */
export function useFieldList(keeper: DraftKeeper, documents: readonly Document[]): FieldList {
  const history = useRef(EMPTY_HISTORY);
  const all = () => keeper.state().draft.fields;
  const save = (fields: readonly DraftField[], { label, mergeKey }: ChangeName) => {
    history.current = recordChange(history.current, { before: all(), label, mergeKey: mergeKey ?? null, now: performance.now() });
    keeper.update("fields", { fields });
  };
  const restore = (restored: Restored | null, words: { done: string; nothing: string }): boolean => {
    if (!restored) {
      announce(words.nothing);
      return false;
    }
    history.current = restored.history;
    const { draft } = keeper.state();
    const recipientKeys = draft.recipients.map((row) => row.key);
    const documentIds = documents.map((document) => document.id);
    keeper.update("fields", { fields: fieldsForPresent(restored.fields, { fields: draft.fields, documentIds, recipientKeys }) });
    announce(`${words.done}\u00a0: ${restored.label}`);
    return true;
  };
  return {
    all,
    save,
    add(fields, name) {
      const fits = all().length + fields.length <= MAX_FIELDS;
      if (fits) save([...all(), ...fields], name);
      else showToast("err", `${MAX_FIELDS} champs au maximum.`);
      return fits;
    },
    undo: () => restore(undoChange(history.current, all()), { done: "Annulé", nothing: "Rien à annuler" }),
    redo: () => restore(redoChange(history.current, all()), { done: "Rétabli", nothing: "Rien à rétablir" }),
  };
}
