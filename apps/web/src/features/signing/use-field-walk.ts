import { type RefObject, useCallback, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { OpenedPdf } from "../../pdf/open-pdf.ts";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import type { PdfViewerHandle } from "../../pdf/pdf-viewer.tsx";
import type { OpenDialog } from "./desk-dialogs.tsx";
import { fetchLaterParts } from "./later-parts.tsx";
import { fillsItself, initialsLeft, isFilled, purposeOf, type SigningField, takesMark } from "./field-walk.ts";
import type { Desk, OpenedRequest } from "./use-desk.ts";

type WalkOptions = {
  readonly request: OpenedRequest;
  readonly desk: Desk;
  readonly isBusy: boolean;
  readonly viewer: RefObject<PdfViewerHandle | null>;
  readonly open: (dialog: OpenDialog) => void;
};

/** Going from field to field, on the pages as in their text, and answering the one in hand. */
export function useFieldWalk({ request, desk, isBusy, viewer, open }: WalkOptions) {
  const isNarrow = useMediaQuery("(max-width: 639.98px)");
  const [documentId, setDocumentId] = useState(request.documents[0]?.id ?? "");
  const [currentId, setCurrentId] = useState<string | null>(null);
  const everywhere = useEverywhere(desk);
  /** Whether the signer has gone to a field; opening the page brings the first before the eye without it. */
  const hasWalked = useRef(false);
  const goTo = useCallback(
    (field: SigningField) => {
      hasWalked.current = true;
      // Drawn at once: the field has its place when its document is chosen and laid out at its new zoom.
      flushSync(() => {
        setDocumentId(field.document_id);
        setCurrentId(field.id);
        if (isNarrow) viewer.current?.setZoom(1.6);
      });
      viewer.current?.goTo({ pageNumber: field.page, y: field.y + field.height / 2, x: field.x + field.width / 2 });
      const control = document.querySelector<HTMLElement>(`[data-field="${field.id}"] :is(button, input)`);
      if (viewer.current === null) control?.scrollIntoView({ block: "center" });
      control?.focus({ preventScroll: true });
    },
    [isNarrow, viewer],
  );
  const begin = useFirstField({ desk, viewer, documentId, onFound: setCurrentId });
  const next = () => {
    // On a phone the first press goes nearer to the field that the page opened on.
    const field = desk.next(isNarrow && !hasWalked.current ? null : currentId);
    if (field) goTo(field);
  };
  const mark = (field: SigningField) => {
    // A mark made once serves again with one press; pressed again, it can be changed.
    const made = desk.markOf(field);
    if (!made || desk.marked.has(field.id)) return open({ kind: "mark", field });
    desk.useMark(made, [field]);
    return everywhere.isToAsk(field) ? open({ kind: "initials" }) : undefined;
  };
  /** What was just made, where it was made for; initials made for one place are asked about as those put there are. */
  const made = (field: SigningField) => open(everywhere.isToAsk(field) ? { kind: "initials" } : null);
  const activate = (id: string) => {
    const field = desk.own.find((own) => own.id === id);
    if (!field || isBusy) return;
    hasWalked.current = true;
    setCurrentId(id);
    if (takesMark(field)) mark(field);
    else if (field.type === "checkbox") desk.setValue(id, isFilled(field, desk.answers) ? "Non" : "Oui");
    else if (!fillsItself(field)) open({ kind: field.type === "mention" ? "mention" : "value", field });
  };
  /** All of one's initials at once; the mark is made first where there is none. */
  const applyInitials = () => {
    everywhere.settle();
    const [first] = initialsLeft(desk.own, desk.answers);
    if (first && desk.markOf(first)) desk.applyInitials();
    else if (first) open({ kind: "mark", field: first, forAll: true });
  };
  /** Another mark in the place of one that was refused: it takes the place of the first wherever that one was put. */
  const redoMark = () => {
    const refused = desk.phase.kind === "failed" ? desk.phase.needsMark : null;
    const own = desk.own.filter((one) => takesMark(one) && purposeOf(one) === refused);
    const field = own.find(({ id }) => desk.marked.has(id)) ?? own[0] ?? desk.own.find(takesMark);
    if (field) open({ kind: "mark", field });
    else desk.settle();
  };
  return { documentId, setDocumentId, currentId, begin, goTo, next, activate, applyInitials, redoMark, made };
}

/** Whether the first initials put by hand ask if the places left take the same: once, and never after it was said by itself. */
function useEverywhere(desk: Desk) {
  const isSettled = useRef(false);
  return {
    isToAsk: (field: SigningField): boolean => {
      const isMoot = field.type !== "initials" || initialsLeft(desk.own, desk.answers).every(({ id }) => id === field.id);
      if (isSettled.current || isMoot) return false;
      isSettled.current = true;
      return true;
    },
    settle: () => {
      isSettled.current = true;
    },
  };
}

export type FieldWalk = ReturnType<typeof useFieldWalk>;

type FirstField = {
  readonly desk: Desk;
  readonly viewer: RefObject<PdfViewerHandle | null>;
  readonly documentId: string;
  readonly onFound: (id: string) => void;
};
/** The pages are laid out within some frames of their document; a field that has not come by then is not waited for. */
const MOST_FRAMES = 120;

/**
 * Gives what is to be told of each document that opens: at the first, the first field to fill comes to the middle and takes the focus, at the
 * zoom for reading (a phone goes nearer when the field is asked for). Who has begun to press something meanwhile is left where they are.
 */
function useFirstField(options: FirstField): (pdf: OpenedPdf | null) => void {
  const latest = useRef(options);
  latest.current = options;
  const isDone = useRef(false);
  return useCallback((pdf) => {
    const { desk, viewer, documentId, onFound } = latest.current;
    if (pdf === null || isDone.current) return;
    isDone.current = true;
    fetchLaterParts();
    const field = desk.next(null);
    if (isHeld()) return;
    if (!field || field.document_id !== documentId) return document.querySelector<HTMLElement>("h1")?.focus();
    onFound(field.id);
    viewer.current?.goTo({ pageNumber: field.page, y: field.y + field.height / 2, x: field.x + field.width / 2 });
    focusWhenThere(`[data-field="${field.id}"] :is(button, input)`, MOST_FRAMES);
  }, []);
}

/** Whether the focus is on a control that somebody put it on. */
function isHeld(): boolean {
  return document.activeElement?.matches("a, button, input, select, textarea") ?? false;
}

function focusWhenThere(selector: string, framesLeft: number): void {
  requestAnimationFrame(() => {
    if (isHeld()) return;
    const control = document.querySelector<HTMLElement>(selector);
    if (control) control.focus({ preventScroll: true });
    else if (framesLeft > 0) focusWhenThere(selector, framesLeft - 1);
  });
}
