import { type Document, type FieldType, FIELD_KINDS } from "@paraphe/contracts";
import { type RefObject, useEffect, useRef, useState } from "react";
import { announce } from "../../../../lib/browser/announce.ts";
import { type Box, boxAround, sizeOnPage } from "../../../../pdf/box.ts";
import { fieldColor } from "../../../../pdf/fields/layer-field.ts";
import type { OpenedPdf } from "../../../../pdf/open-pdf.ts";
import { pageAtPoint } from "../../../../pdf/page-layout.ts";
import type { PdfViewerHandle } from "../../../../pdf/pdf-viewer.tsx";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import type { Draft, DraftField } from "../draft/draft.ts";
import type { FieldPlace } from "./field-copies.ts";
import { isSilentMention } from "./field-warnings.ts";
import type { Aim } from "../sending/send-check.ts";
import { useFieldEditor } from "./use-field-editor.ts";
import type { OpenDialog } from "./field-dialogs.tsx";

type FieldShortcuts = {
  undo(): void;
  redo(): void;
  copy(): void;
  cut(): void;
  paste(): void;
  selectPage(): void;
  help(): void;
  /** Escape outside a field disarms the tool. */
  escape(): void;
};

/** Works wherever the focus is except in a text box or a dialog. */
function useFieldShortcuts(shortcuts: FieldShortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const name = readShortcut(event, { hasWords: !(window.getSelection()?.isCollapsed ?? true) });
      if (!name || isTyping(event.target)) return;
      // Undo works in the list dialog too, for fields removed there.
      if (name !== "undo" && name !== "redo" && document.querySelector("dialog[open]")) return;
      if (name !== "escape") event.preventDefault();
      latest.current[name]();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

type ShortcutKey = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Null for a key left to the browser, which copies selected text. */
export function readShortcut(
  event: ShortcutKey,
  { hasWords }: { hasWords: boolean },
): keyof FieldShortcuts | null {
  if (event.key === "?") return "help";
  if (event.key === "Escape") return "escape";
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  if (event.shiftKey) return null;
  if (key === "y") return "redo";
  if (key === "a") return "selectPage";
  if (key === "v") return "paste";
  if (hasWords) return null;
  return key === "c" ? "copy" : key === "x" ? "cut" : null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type='checkbox']), textarea"))
  );
}

type DeskParts = {
  readonly draft: Draft;
  readonly keeper: DraftKeeper;
  readonly documents: readonly Document[];
  readonly people: Draft["recipients"];
  readonly first: Document;
  /** The field, or person without one, named by the check list. */
  readonly aim: Aim;
  readonly isWide: boolean;
};

export function useFieldDesk(parts: DeskParts) {
  const desk = useDeskState(parts);
  const placing = placingOn(desk);
  const leading = leadingOn(desk);
  useDeskShortcuts(desk, { ...placing, ...leading });
  useAim(parts, { ...leading, pdf: desk.pdf });
  return { ...desk, ...placing, ...leading };
}

function useDeskState({ draft, keeper, documents, people, first, aim }: DeskParts) {
  const viewer = useRef<PdfViewerHandle>(null);
  const side = useRef<HTMLElement>(null);
  const editor = useFieldEditor(keeper, documents);
  const [armed, setArmed] = useState<FieldType | null>(null);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [chosenDocument, setChosenDocument] = useState<string | null>(
    aim.field?.documentId ?? null,
  );
  const [chosenRecipient, setChosenRecipient] = useState<string | null>(aim.recipient ?? null);
  const [pdf, setPdf] = useState<OpenedPdf | null>(null);
  const [page, setPage] = useState(1);
  const current = documents.find((document) => document.id === chosenDocument) ?? first;
  const recipientKey =
    people.find((row) => row.key === chosenRecipient)?.key ?? people[0]?.key ?? "";
  const colorOf = (key: string) => fieldColor(draft.recipients.findIndex((row) => row.key === key));
  return {
    pdf,
    setPdf,
    page,
    setPage,
    viewer,
    side,
    editor,
    armed,
    setArmed,
    dialog,
    setDialog,
    current,
    setChosenDocument,
    recipientKey,
    setChosenRecipient,
    colorOf,
  };
}
type DeskState = ReturnType<typeof useDeskState>;

function placingOn({ viewer, editor, armed, setArmed, current, recipientKey }: DeskState) {
  const add = (type: FieldType, page: number, box: Box) => {
    editor.add({ documentId: current.id, page, type, recipientKey, box });
    setArmed(null);
  };
  const place = (type: FieldType, page: number, point: { x: number; y: number }) =>
    add(type, page, boxAround(point, sizeOnPage(FIELD_KINDS[type].size, current.pages[page - 1])));
  return {
    arm(type: FieldType | null) {
      setArmed(type);
      editor.select([]);
      if (type)
        announce(
          `${FIELD_KINDS[type].tool} choisi. Cliquez sur la page, ou appuyez encore sur Entrée pour le poser au centre.`,
        );
      else announce("Outil reposé");
    },
    placeBox: (page: number, box: Box) => armed && add(armed, page, box),
    drop(type: FieldType, point: { x: number; y: number }) {
      const target = pageAtPoint(point.x, point.y);
      if (target) place(type, target.pageNumber, target);
    },
    placeInSight(type: FieldType) {
      const target = viewer.current?.middle();
      if (target) place(type, target.pageNumber, target);
    },
  };
}

/** A change to a field shows it; a removal moves the focus. */
function leadingOn({
  viewer,
  side,
  editor,
  setDialog,
  setChosenDocument,
  setChosenRecipient,
}: DeskState) {
  const goTo = (field: Pick<DraftField, "page" | "y">) =>
    requestAnimationFrame(() => viewer.current?.goTo({ pageNumber: field.page, y: field.y }));
  return {
    goTo,
    chooseDocument(id: string) {
      setChosenDocument(id);
      editor.select([]);
    },
    /** The place may be in a file that is not displayed. */
    addAt(place: FieldPlace) {
      setChosenDocument(place.documentId);
      editor.add(place);
      goTo({ page: place.page, y: place.box.y });
    },
    change(field: DraftField, part: Partial<DraftField>) {
      editor.change([field.key], part);
      if (part.page !== undefined) goTo({ ...field, ...part });
    },
    remove(keys: readonly string[]) {
      editor.remove(keys);
      setDialog((open) => (open === "properties" ? null : open));
      // The focus was on the removed field: the pages take it.
      preserveFocus(viewer);
    },
    show(field: DraftField, where: "side" | "dialog") {
      setChosenDocument(field.documentId);
      editor.select([field.key]);
      goTo(field);
      setDialog(where === "side" ? null : "properties");
      // Runs after the dialog has given the focus back.
      if (where === "side")
        setTimeout(() => side.current?.querySelector<HTMLElement>("select, input")?.focus(), 50);
    },
    /** Shows what is wrong with a field: its missing sentence, or its box. */
    aimAt(field: DraftField, where: "side" | "dialog") {
      const isSilent = isSilentMention(field);
      setChosenDocument(field.documentId);
      if (isSilent) editor.select([field.key]);
      else editor.lead(field.key);
      goTo(field);
      if (isSilent && where === "dialog") setDialog("properties");
      if (isSilent)
        setTimeout(
          () => (where === "side" ? side.current : document)?.querySelector("textarea")?.focus(),
          50,
        );
    },
    addFor(key: string) {
      setChosenRecipient(key);
      setDialog("add");
    },
  };
}

type Aiming = Pick<ReturnType<typeof leadingOn>, "aimAt" | "goTo"> & {
  readonly pdf: OpenedPdf | null;
};

function useAim({ draft, aim, isWide }: DeskParts, { aimAt, goTo, pdf }: Aiming): void {
  const [taken] = useState(() => draft.fields.find(({ key }) => key === aim.field?.key));
  const stage = useRef<"new" | "aimed" | "shown">("new");
  useEffect(() => {
    if (taken === undefined || stage.current === "shown") return;
    if (stage.current === "new") aimAt(taken, isWide ? "side" : "dialog");
    else if (pdf !== null) goTo(taken);
    stage.current = pdf === null ? "aimed" : "shown";
  }, [taken, isWide, aimAt, goTo, pdf]);
}

function useDeskShortcuts(
  desk: DeskState,
  { arm }: Pick<ReturnType<typeof placingOn>, "arm">,
): void {
  const { viewer, editor, armed, setDialog, current } = desk;
  const pageInSight = () => ({ documentId: current.id, page: viewer.current?.currentPage() ?? 1 });
  const selectedKeys = () => editor.selection.map((field) => field.key);
  const andKeepFocus = (change: () => void) => {
    change();
    preserveFocus(viewer);
  };
  useFieldShortcuts({
    undo: () => andKeepFocus(editor.undo),
    redo: () => andKeepFocus(editor.redo),
    copy: () => editor.copy(selectedKeys()),
    cut: () => andKeepFocus(() => editor.cut(selectedKeys())),
    paste: () => editor.paste(pageInSight()),
    selectPage: () => editor.selectPage(editor.selection[0] ?? pageInSight()),
    help: () => setDialog("keys"),
    escape: () => (armed ? arm(null) : editor.select([])),
  });
}

function preserveFocus(viewer: RefObject<PdfViewerHandle | null>): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body || document.activeElement === null)
      viewer.current?.focus();
  });
}
