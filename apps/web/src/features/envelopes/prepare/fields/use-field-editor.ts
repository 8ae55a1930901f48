import { type Document, type Layout, MAX_FIELDS, FIELD_KINDS } from "@paraphe/contracts";
import { useRef, useState } from "react";
import { announce } from "../../../../lib/browser/announce.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { type Arrangement, arrangeBoxes } from "../../../../pdf/fields/arrange-boxes.ts";
import { type Box, type Delta, moveTogether, resizeBox } from "../../../../pdf/box.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import { ARRANGED, describeField, describeNudge } from "./describe-field.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { type DraftField, type DraftRecipient, recipientName } from "../draft/draft.ts";
import {
  type FieldPlace,
  copiesOnOtherPages,
  duplicatesOf,
  newField,
  pastedOn,
} from "./field-copies.ts";
import { applyLayout, fieldPeople } from "./field-layout.ts";

type Fields = readonly DraftField[];
/** Changes in quick succession with one `mergeKey` are one step. */
type Step = {
  readonly fields: Fields;
  readonly label: string;
  readonly mergeKey: string | null;
  readonly at: number;
};
type FieldHistory = { readonly past: readonly Step[]; readonly future: readonly Step[] };
type Restored = { readonly history: FieldHistory; readonly fields: Fields; readonly label: string };

export const EMPTY_HISTORY: FieldHistory = { past: [], future: [] };
const MOST_STEPS = 100;
/** An arrow key held down is one step. */
const MERGE_WITHIN_MS = 1_000;

/** A new change clears what could be redone. */
export function recordChange(
  history: FieldHistory,
  {
    before,
    label,
    mergeKey,
    now,
  }: { before: Fields; label: string; mergeKey: string | null; now: number },
): FieldHistory {
  const last = history.past.at(-1);
  if (last && mergeKey !== null && last.mergeKey === mergeKey && now - last.at <= MERGE_WITHIN_MS)
    return { past: [...history.past.slice(0, -1), { ...last, at: now }], future: [] };
  return {
    past: [...history.past.slice(1 - MOST_STEPS), { fields: before, label, mergeKey, at: now }],
    future: [],
  };
}

export function undoChange(history: FieldHistory, present: Fields): Restored | null {
  const step = history.past.at(-1);
  if (!step) return null;
  const undone = { ...step, fields: present, mergeKey: null };
  return {
    history: { past: history.past.slice(0, -1), future: [...history.future, undone] },
    fields: step.fields,
    label: step.label,
  };
}

export function redoChange(history: FieldHistory, present: Fields): Restored | null {
  const step = history.future.at(-1);
  if (!step) return null;
  const redone = { ...step, fields: present, mergeKey: null };
  return {
    history: { past: [...history.past, redone], future: history.future.slice(0, -1) },
    fields: step.fields,
    label: step.label,
  };
}

/** Fields under their present ids, without those whose document or recipient is gone. */
export function fieldsForPresent(
  earlier: Fields,
  present: {
    readonly fields: Fields;
    readonly documentIds: readonly string[];
    readonly recipientKeys: readonly string[];
  },
): Fields {
  const ids = new Map(present.fields.map((field) => [field.key, field.id]));
  return earlier
    .filter(
      (field) =>
        present.documentIds.includes(field.documentId) &&
        present.recipientKeys.includes(field.recipientKey),
    )
    .map(({ id: _then, ...field }) => {
      const id = ids.get(field.key);
      return id === undefined ? field : { ...field, id };
    });
}

type ChangeName = { readonly label: string; readonly mergeKey?: string };
type FieldList = {
  all(): readonly DraftField[];
  save(fields: readonly DraftField[], name: ChangeName): void;
  /** False, with a message, when an envelope would have too many fields. */
  add(fields: readonly DraftField[], name: ChangeName): boolean;
  /** False when there is nothing to undo. */
  undo(): boolean;
  redo(): boolean;
};

function useFieldList(keeper: DraftKeeper, documents: readonly Document[]): FieldList {
  const history = useRef(EMPTY_HISTORY);
  const all = () => keeper.state().draft.fields;
  const save = (fields: readonly DraftField[], { label, mergeKey }: ChangeName) => {
    history.current = recordChange(history.current, {
      before: all(),
      label,
      mergeKey: mergeKey ?? null,
      now: performance.now(),
    });
    keeper.update("fields", { fields });
  };
  const restore = (
    restored: Restored | null,
    words: { done: string; nothing: string },
  ): boolean => {
    if (!restored) {
      announce(words.nothing);
      return false;
    }
    history.current = restored.history;
    const { draft } = keeper.state();
    const recipientKeys = draft.recipients.map((row) => row.key);
    const documentIds = documents.map((document) => document.id);
    keeper.update("fields", {
      fields: fieldsForPresent(restored.fields, {
        fields: draft.fields,
        documentIds,
        recipientKeys,
      }),
    });
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
    undo: () =>
      restore(undoChange(history.current, all()), { done: "Annulé", nothing: "Rien à annuler" }),
    redo: () =>
      restore(redoChange(history.current, all()), { done: "Rétabli", nothing: "Rien à rétablir" }),
  };
}

type FocusTurn = { readonly id: string; readonly turn: number };
type PageOfDocument = Pick<DraftField, "documentId" | "page">;
export type FieldEditor = {
  /** The selected fields, all of one page; the last one leads. */
  readonly selection: readonly DraftField[];
  /** The field to focus: just added, pasted or moved to another page. */
  readonly focus: FocusTurn | null;
  select(keys: readonly string[]): void;
  lead(key: string): void;
  /** A field of another page begins a new selection. */
  toggle(key: string): void;
  selectPage(page: PageOfDocument): void;
  add(place: FieldPlace): void;
  change(keys: readonly string[], part: Partial<DraftField>): void;
  /** Boxes that a pointer moved to `page`. */
  put(boxes: ReadonlyMap<string, Box>, page: number, how: "move" | "resize"): void;
  /** `by`: in points of the displayed page. */
  nudge(keys: readonly string[], kind: "move" | "resize", by: Delta): void;
  arrange(how: Arrangement): void;
  remove(keys: readonly string[]): void;
  duplicate(keys: readonly string[]): void;
  copyToAllPages(keys: readonly string[]): void;
  copy(keys: readonly string[]): void;
  cut(keys: readonly string[]): void;
  paste(page: PageOfDocument): void;
  /** Adds a layout's fields, and says how many found no place. */
  applyLayout(layout: Layout): void;
  undo(): void;
  redo(): void;
};

const newKey = () => crypto.randomUUID();

/** Every change is announced and can be undone. */
export function useFieldEditor(keeper: DraftKeeper, documents: readonly Document[]): FieldEditor {
  const [selectedKeys, setSelectedKeys] = useState<readonly string[]>([]);
  const [focus, setFocus] = useState<FocusTurn | null>(null);
  const clipboard = useRef<readonly DraftField[]>([]);
  const list = useFieldList(keeper, documents);
  const describe = (field: DraftField) =>
    describeField(field, recipientName(keeper.state().draft, field.recipientKey));
  const find = (keys: readonly string[]) =>
    keys.flatMap((key) => list.all().find((field) => field.key === key) ?? []);
  const tools: EditorTools = {
    list,
    people: () => fieldPeople(keeper.state().draft),
    documents,
    find,
    clipboard,
    announceFields: (fields, verb) =>
      announce(
        fields.length === 1 && fields[0]
          ? `${verb}\u00a0: ${describe(fields[0])}`
          : countSentence(fields, verb),
      ),
    describe,
    selection: () => find(selectedKeys),
    select: (keys) => setSelectedKeys((before) => (sameKeys(before, keys) ? before : keys)),
    show(keys) {
      setSelectedKeys(keys);
      const id = keys.at(-1);
      if (id !== undefined) setFocus((before) => ({ id, turn: (before?.turn ?? 0) + 1 }));
    },
  };
  return {
    selection: find(selectedKeys),
    focus,
    ...selecting(tools),
    ...changing(tools),
    ...moving(tools),
    ...copying(tools),
    ...undoing(tools),
  };
}

type EditorTools = {
  readonly list: FieldList;
  people(): readonly DraftRecipient[];
  readonly documents: readonly Document[];
  readonly clipboard: { current: readonly DraftField[] };
  find(keys: readonly string[]): readonly DraftField[];
  selection(): readonly DraftField[];
  select(keys: readonly string[]): void;
  show(keys: readonly string[]): void;
  announceFields(fields: readonly DraftField[], verb: string): void;
  describe(field: DraftField): string;
};

function selecting({
  list,
  find,
  selection,
  select,
  show,
}: EditorTools): Pick<FieldEditor, "select" | "lead" | "toggle" | "selectPage"> {
  const choose = (keys: readonly string[]) => {
    if (keys.length < 2) {
      select(keys);
      return;
    }
    // The keys act on the focused field.
    show(keys);
    announce(`${keys.length} champs sélectionnés`);
  };
  return {
    select: choose,
    lead: (key) => show([key]),
    toggle(key) {
      const [field] = find([key]);
      if (!field) return;
      const others = selection().filter((other) => other.key !== key && isOnPage(other, field));
      const isOut = selection().some((other) => other.key === key) && others.length > 0;
      choose(isOut ? keysOf(others) : [...keysOf(others), key]);
    },
    selectPage(page) {
      const keys = keysOf(list.all().filter((field) => isOnPage(field, page)));
      if (keys.length === 0) announce("Aucun champ sur cette page");
      else choose(keys);
    },
  };
}

function changing({
  list,
  find,
  select,
  show,
  announceFields,
  describe,
}: EditorTools): Pick<FieldEditor, "add" | "change" | "remove"> {
  return {
    add(wanted) {
      const field = newField(wanted, newKey());
      if (!list.add([field], { label: "ajout" })) return;
      show([field.key]);
      announceFields([field], "Ajouté");
    },
    change(keys, part) {
      list.save(
        list.all().map((field) => (keys.includes(field.key) ? { ...field, ...part } : field)),
        {
          label: "modification",
          ...(isTyped(part) ? { mergeKey: `${Object.keys(part).join()}:${keys.join()}` } : {}),
        },
      );
      // A text box announces its own keys.
      if (isTyped(part)) return;
      const [first] = find(keys);
      announce(
        keys.length === 1 && first
          ? describe(first)
          : plural(keys.length, "champ modifié", "champs modifiés"),
      );
    },
    remove(keys) {
      const fields = find(keys);
      if (fields.length === 0) return;
      list.save(
        list.all().filter((field) => !keys.includes(field.key)),
        { label: "suppression" },
      );
      select([]);
      announce(`${removedWords(fields)}. Ctrl + Z pour annuler.`);
    },
  };
}

function moving(tools: EditorTools): Pick<FieldEditor, "put" | "nudge" | "arrange"> {
  const { list, documents, find, selection, show, announceFields, describe } = tools;
  const place = (
    boxes: ReadonlyMap<string, Box>,
    page: number | null,
    name: { label: string; mergeKey?: string },
  ) =>
    list.save(
      list.all().map((field) => placed(field, boxes.get(field.key), page)),
      name,
    );
  return {
    put(boxes, page, how) {
      place(boxes, page, { label: how === "move" ? "déplacement" : "changement de taille" });
      show([...boxes.keys()]);
      announceFields(find([...boxes.keys()]), how === "move" ? "Déplacé" : "Redimensionné");
    },
    nudge(keys, kind, by) {
      const fields = find(keys);
      const size =
        fields[0] &&
        documents.find((document) => document.id === fields[0]?.documentId)?.pages[
          fields[0].page - 1
        ];
      if (!size) return;
      const step = { dx: by.dx / size.width, dy: by.dy / size.height };
      const boxes =
        kind === "move"
          ? moveTogether(fields, step)
          : fields.map((field) => resizeBox(field, "se", step));
      const label = kind === "move" ? "déplacement" : "changement de taille";
      place(keyed(fields, boxes), null, { label, mergeKey: `${kind}:${keys.join()}` });
      const [moved] = find(keys);
      announce(
        `${describeNudge(kind, by)}${moved && fields.length === 1 ? `. ${describe(moved)}` : ""}`,
      );
    },
    arrange(how) {
      const fields = selection();
      place(keyed(fields, arrangeBoxes(fields, how)), null, { label: "alignement" });
      announce(`${plural(fields.length, "champ")} ${ARRANGED[how]}`);
    },
  };
}

function copying(
  tools: EditorTools,
): Pick<FieldEditor, "duplicate" | "copyToAllPages" | "copy" | "cut" | "paste" | "applyLayout"> {
  const { list, people, documents, clipboard, find, show, announceFields, select } = tools;
  const addAll = (fields: readonly DraftField[], verb: string) => {
    if (fields.length === 0 || !list.add(fields, { label: "ajout" })) return;
    show(keysOf(fields));
    announceFields(fields, verb);
  };
  const copy = (keys: readonly string[]) => {
    const fields = find(keys);
    if (fields.length === 0) return;
    clipboard.current = fields;
    announceFields(fields, "Copié");
  };
  return {
    copy,
    duplicate: (keys) => addAll(duplicatesOf(find(keys), newKey), "Dupliqué"),
    copyToAllPages(keys) {
      const fields = find(keys);
      const pages =
        documents.find((document) => document.id === fields[0]?.documentId)?.page_count ?? 0;
      const copies = copiesOnOtherPages(fields, pages, newKey);
      if (copies.length > 0 && list.add(copies, { label: "ajout" }))
        announce(`Copié sur ${pages - 1} autre${pages > 2 ? "s pages" : " page"}`);
    },
    cut(keys) {
      copy(keys);
      list.save(
        list.all().filter((field) => !keys.includes(field.key)),
        { label: "suppression" },
      );
      select([]);
    },
    paste(page) {
      if (clipboard.current.length === 0) announce("Aucun champ copié");
      else addAll(pastedOn(clipboard.current, page, { present: list.all(), newKey }), "Collé");
    },
    applyLayout(layout) {
      const { fields, leftOut } = applyLayout(layout.fields, {
        documents,
        people: people(),
        present: list.all(),
        newKey,
      });
      if (fields.length > 0 && !list.add(fields, { label: "disposition" })) return;
      select([]);
      showToast(
        fields.length > 0 ? "ok" : "info",
        appliedWords(fields.length),
        leftOut > 0 ? { detail: leftOutWords(leftOut) } : {},
      );
    },
  };
}

function undoing({ list, selection, select }: EditorTools): Pick<FieldEditor, "undo" | "redo"> {
  const reselect = () => select(keysOf(selection()));
  return {
    undo: () => void (list.undo() && reselect()),
    redo: () => void (list.redo() && reselect()),
  };
}

/** A sentence or label changes at each key: one step to undo. */
function isTyped(part: Partial<DraftField>): boolean {
  return Object.keys(part).every((name) => name === "value" || name === "label");
}

function placed(field: DraftField, box: Box | undefined, page: number | null): DraftField {
  if (!box) return field;
  const { x, y, width, height } = box;
  return { ...field, x, y, width, height, page: page ?? field.page };
}

function keyed(fields: readonly DraftField[], boxes: readonly Box[]): ReadonlyMap<string, Box> {
  return new Map(
    fields.flatMap((field, index) => (boxes[index] ? [[field.key, boxes[index]] as const] : [])),
  );
}

function keysOf(fields: readonly DraftField[]): readonly string[] {
  return fields.map((field) => field.key);
}

function isOnPage(field: PageOfDocument, page: PageOfDocument): boolean {
  return field.documentId === page.documentId && field.page === page.page;
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

function countSentence(fields: readonly DraftField[], verb: string): string {
  return `${verb}s\u00a0: ${plural(fields.length, "champ")}`;
}

function appliedWords(count: number): string {
  return count === 0
    ? "Aucun champ à placer de cette disposition."
    : `Disposition appliquée\u00a0: ${plural(count, "champ placé", "champs placés")}.`;
}

function leftOutWords(count: number): string {
  return count === 1
    ? "1 champ laissé de côté\u00a0: sa page ou son destinataire n’existe pas ici."
    : `${count} champs laissés de côté\u00a0: leur page ou leur destinataire n’existe pas ici.`;
}

function removedWords(fields: readonly DraftField[]): string {
  const [first] = fields;
  return fields.length === 1 && first
    ? `${FIELD_KINDS[first.type].short} supprimé`
    : `${fields.length} champs supprimés`;
}
