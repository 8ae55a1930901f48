import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { announce } from "../../../lib/announce.ts";
import { useMediaQuery } from "../../../lib/use-media-query.ts";
import type { PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import type { OpenDialog } from "./desk-dialogs.tsx";
import {
  type SigningField,
  fillsItself,
  initialsLeft,
  isFilled,
  mustBeFilled,
  nextField,
  purposeOf,
  takesMark,
} from "./field-walk.ts";
import type { Desk, OpenedRequest } from "./use-desk.ts";

type WalkOptions = {
  readonly request: OpenedRequest;
  readonly desk: Desk;
  readonly isBusy: boolean;
  /** Where all is done in the dock, one press leads to a field and opens it; elsewhere there is room to see it first. */
  readonly opensAtOnce: boolean;
  readonly viewer: RefObject<PdfViewerHandle | null>;
  readonly isOpen: boolean;
  readonly open: (dialog: OpenDialog) => void;
};

/** Going from field to field, on the pages as in their text, and answering the one in hand. */
export function useFieldWalk({
  request,
  desk,
  isBusy,
  opensAtOnce,
  viewer,
  isOpen,
  open,
}: WalkOptions) {
  const place = usePlace(request, viewer);
  const { documentId, unread, currentId, goTo, openDocument, setCurrentId, setAnsweredId } = place;
  const everywhere = useEverywhere(desk);
  useFocusedTitle();
  const mark = (field: SigningField) => {
    // A mark made once serves again with one press; pressed again, it can be changed.
    const made = desk.markOf(field);
    if (!made || desk.marked.has(field.id)) return open({ kind: "mark", field });
    desk.useMark(made, [field]);
    return everywhere.isToAsk(field) ? open({ kind: "initials" }) : undefined;
  };
  /** What was just made, where it was made for; initials made for one place are asked about as those put there are. */
  const made = (field: SigningField) => {
    goOnFrom(field.id);
    open(everywhere.isToAsk(field) ? { kind: "initials" } : null);
  };
  const activate = (id: string) => {
    const field = desk.own.find((own) => own.id === id);
    if (!field || isBusy) return;
    const isInDock = opensAtOnce && (field.type === "text" || field.type === "mention");
    // Drawn at once: the answer takes the focus within the touch, without which a phone shows no keyboard.
    flushSync(() => {
      setCurrentId(id);
      setAnsweredId(isInDock ? id : null);
    });
    if (isInDock) return;
    if (takesMark(field)) mark(field);
    else if (field.type === "checkbox")
      desk.setValue(id, isFilled(field, desk.answers) ? "Non" : "Oui");
    else if (!fillsItself(field))
      open({ kind: field.type === "mention" ? "mention" : "value", field });
  };
  /** All of one's initials at once; the mark is made first where there is none. */
  const applyInitials = () => {
    everywhere.settle();
    const [first] = initialsLeft(desk.own, desk.answers);
    if (first && desk.markOf(first)) desk.applyInitials();
    else if (first) open({ kind: "mark", field: first, forAll: true });
  };
  /** It takes the place of the first wherever that one was put. */
  const redoMark = () => {
    const field = refusedField(desk);
    if (field) open({ kind: "mark", field });
    else desk.settle();
  };
  const reach = (stop: Stop) => {
    if (!isField(stop)) {
      openDocument(stop.id);
      viewer.current?.focus();
      announce(
        `Document ${request.documents.indexOf(stop) + 1} sur ${request.documents.length}\u00a0: ${stop.name}`,
      );
      return;
    }
    goTo(stop);
    if (opensAtOnce && asks(stop, desk)) activate(stop.id);
  };
  const answered = desk.own.find(({ id }) => id === place.answeredId) ?? null;
  const step = stepOf({
    request,
    desk,
    documentId,
    currentId,
    unread,
    opensAtOnce,
    goTo,
    reach,
    activate,
  });
  const goOnFrom = useGoOn({ desk, isOpen, goOn: step.goOn });
  const next = () => {
    step.next();
    if (step.current) goOnFrom(step.current.id);
  };
  return {
    documentId,
    openDocument,
    currentId,
    goTo,
    ...step,
    next,
    answered,
    activate,
    applyInitials,
    redoMark,
    made,
  };
}

/** Where a mark was refused, for another in its place. */
function refusedField({ phase, own, marked }: Desk): SigningField | undefined {
  const refused = phase.kind === "failed" ? phase.needsMark : null;
  const fields = own.filter((one) => takesMark(one) && purposeOf(one) === refused);
  return fields.find(({ id }) => marked.has(id)) ?? fields[0] ?? own.find(takesMark);
}

type SignedDocument = OpenedRequest["documents"][number];
/** Where the walk stops: a field, or a document that holds nothing to fill and is still to be read. */
type Stop = SigningField | SignedDocument;

function isField(stop: Stop): stop is SigningField {
  return "document_id" in stop;
}

/** Where the signer stands: which document is shown, the first that was not yet, the field they were led to, the one they answer in the dock. */
function usePlace({ documents }: OpenedRequest, viewer: WalkOptions["viewer"]) {
  const isNarrow = useMediaQuery("(max-width: 639.98px)");
  const [documentId, setDocumentId] = useState(documents[0]?.id ?? "");
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([documentId]));
  const [currentId, setCurrentId] = useState<string | null>(null);
  const [answeredId, setAnsweredId] = useState<string | null>(null);
  const show = useCallback((id: string) => {
    setDocumentId(id);
    setOpened((before) => new Set([...before, id]));
  }, []);
  const goTo = useCallback(
    (field: SigningField) => {
      // Drawn at once: the field has its place when its document is chosen and laid out at its new zoom.
      flushSync(() => {
        show(field.document_id);
        setCurrentId(field.id);
        setAnsweredId(null);
        if (isNarrow) viewer.current?.setZoom(1.6);
      });
      viewer.current?.goTo({
        pageNumber: field.page,
        y: field.y + field.height / 2,
        x: field.x + field.width / 2,
      });
      const control = document.querySelector<HTMLElement>(
        `[data-field="${field.id}"] :is(button, input)`,
      );
      if (viewer.current === null) control?.scrollIntoView({ block: "center" });
      control?.focus({ preventScroll: true });
    },
    [isNarrow, viewer, show],
  );
  /** Another document opens at its beginning and in its whole width, not where and as near as the last one was left. */
  const openDocument = (id: string) => {
    flushSync(() => {
      show(id);
      setAnsweredId(null);
      if (isNarrow) viewer.current?.setZoom(1);
    });
    if (viewer.current === null) window.scrollTo(0, 0);
    viewer.current?.goTo({ pageNumber: 1, y: 0, isAtOnce: true });
  };
  const unread = documents.find(({ id }) => !opened.has(id)) ?? null;
  return {
    documentId,
    unread,
    currentId,
    setCurrentId,
    answeredId,
    setAnsweredId,
    goTo,
    openDocument,
  };
}

type Stand = {
  readonly request: OpenedRequest;
  readonly desk: Desk;
  readonly documentId: string;
  readonly currentId: string | null;
  readonly unread: SignedDocument | null;
  readonly opensAtOnce: boolean;
  readonly goTo: (field: SigningField) => void;
  /** Goes there, and opens it where that is asked for. */
  readonly reach: (stop: Stop) => void;
  readonly activate: (id: string) => void;
};

/** What the one button does next, from where the signer stands: it begins, opens the field that it led to, then leads to the one after. */
function stepOf({
  request,
  desk,
  documentId,
  currentId,
  unread,
  opensAtOnce,
  goTo,
  reach,
  activate,
}: Stand) {
  const current = desk.offered.find(
    (field) => field.id === currentId && field.document_id === documentId,
  );
  const stopAmong = (offered: readonly SigningField[]) => {
    const field = nextField(desk.own, offered, currentId);
    const placeOf = (id: string) => request.documents.findIndex((document) => document.id === id);
    // All is read before the consent, and each document before the fields of those after it.
    const isRead =
      unread === null ||
      (field !== null &&
        desk.remaining.length > 0 &&
        placeOf(field.document_id) <= placeOf(unread.id));
    return isRead ? field : unread;
  };
  const follow = (offered: readonly SigningField[], lead: typeof goTo) => {
    const stop = stopAmong(offered);
    if (stop !== null && isField(stop)) lead(stop);
    else if (stop !== null) reach(stop);
  };
  const pass = () => {
    if (!current) return;
    desk.pass(current.id);
    follow(
      desk.offered.filter((field) => field !== current),
      goTo,
    );
  };
  const next = stopAmong(desk.offered);
  return {
    current,
    next: () => (current ? activate(current.id) : follow(desk.offered, reach)),
    /** Leaves the field in hand as it is, and goes on; null where it must be filled. */
    pass: current && !mustBeFilled(current) ? pass : null,
    /** Goes on from a field that has its answer; back to it where nothing is left. */
    leave: (answered: SigningField) => {
      const stop = stopAmong(desk.offered.filter((field) => field !== answered));
      if (stop !== null && (desk.remaining.length > 0 || !isField(stop))) reach(stop);
      else goTo(answered);
    },
    /** Once the field in hand has its answer: what must still be filled, else the button that leads on, else the consent. */
    goOn: () => {
      if (next !== null && isField(next) && desk.remaining.length > 0) goTo(next);
      else document.querySelector<HTMLElement>("[data-next]")?.focus();
    },
    isToRead: next !== null && !isField(next),
    nextWords: nextWords(
      current ??
        (currentId !== null && opensAtOnce && next && isField(next) && asks(next, desk)
          ? next
          : null),
      next,
      currentId !== null,
    ),
  };
}

/** Whether a field, pressed, asks for its answer: a box would be ticked, and a mark that is made put, before they are seen. */
function asks(field: SigningField, desk: Desk): boolean {
  return takesMark(field) ? desk.markOf(field) === null : field.type !== "checkbox";
}

/** What the next press does, in words; null where nothing is left to be led to. */
function nextWords(
  current: SigningField | null,
  next: Stop | null,
  hasBegun: boolean,
): string | null {
  if (current === null) {
    if (next === null) return null;
    if (!isField(next)) return "Document suivant";
    return !hasBegun
      ? "Commencer"
      : next.type === "signature"
        ? "Aller à la signature"
        : "Champ suivant";
  }
  if (takesMark(current))
    return current.type === "signature" ? "Poser ma signature" : "Poser mon paraphe";
  return current.type === "mention"
    ? "Écrire la mention"
    : current.type === "checkbox"
      ? "Cocher la case"
      : "Remplir";
}

type GoingOn = { readonly desk: Desk; readonly isOpen: boolean; readonly goOn: () => void };

/** What the one button or a dialog has answered is left for what is next, once nothing is open over it; a dialog closed without an answer leads nowhere. */
function useGoOn({ desk, isOpen, goOn }: GoingOn): (id: string) => void {
  const left = useRef<string | null>(null);
  useEffect(() => {
    if (left.current === null || isOpen) return;
    const field = desk.own.find(({ id }) => id === left.current);
    left.current = null;
    // Going there draws the page at once, which an effect may not.
    if (field && isFilled(field, desk.answers)) queueMicrotask(goOn);
  });
  return (id) => {
    left.current = id;
  };
}

/** Whether the first initials put by hand ask if the places left take the same: once, and never after it was said by itself. */
function useEverywhere(desk: Desk) {
  const isSettled = useRef(false);
  return {
    isToAsk: (field: SigningField): boolean => {
      const isMoot =
        field.type !== "initials" ||
        initialsLeft(desk.own, desk.answers).every(({ id }) => id === field.id);
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

/**
 * The desk opens on its title, and on the first page: one reads before one signs. Who has begun to press something meanwhile is left where they are.
 */
function useFocusedTitle(): void {
  useEffect(() => {
    if (!document.activeElement?.matches("a, button, input, select, textarea"))
      document.querySelector<HTMLElement>("h1")?.focus();
  }, []);
}
