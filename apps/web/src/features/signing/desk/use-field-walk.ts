import { isTickBox, isToCopy, takesMark, fillsItself } from "@paraphe/contracts";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { announce } from "../../../lib/browser/announce.ts";
import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import type { PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import type { OpenDialog } from "./desk-dialogs.tsx";
import {
  type SigningField,
  initialsLeft,
  isFilled,
  mustBeFilled,
  nextField,
  purposeOf,
} from "./field-walk.ts";
import type { Desk, OpenedRequest } from "./use-desk.ts";

type WalkOptions = {
  readonly request: OpenedRequest;
  readonly desk: Desk;
  readonly isBusy: boolean;
  /** In the dock, one press leads to a field and opens it. */
  readonly opensAtOnce: boolean;
  readonly viewer: RefObject<PdfViewerHandle | null>;
  readonly isOpen: boolean;
  readonly open: (dialog: OpenDialog) => void;
};

export function useFieldWalk(options: WalkOptions) {
  const { request, desk, isBusy, opensAtOnce, viewer, isOpen, open } = options;
  const place = usePlace(request, viewer);
  const { documentId, currentId, goTo, openDocument } = place;
  const { putMark, openNext, applyInitials, redoMark } = useMarkPresses(desk, open);
  useFocusedTitle();
  const activate = (id: string) => {
    const field = desk.own.find((own) => own.id === id);
    if (!field || isBusy) return;
    const isInDock = opensAtOnce && !isAnsweredAtOnce(field) && !fillsItself(field);
    // Within the touch event, because a phone otherwise shows no keyboard.
    flushSync(() => {
      place.setCurrentId(id);
      place.setAnsweredId(isInDock ? id : null);
    });
    if (isInDock) return;
    if (takesMark(field)) putMark(field);
    else if (isTickBox(field)) desk.setValue(id, isFilled(field, desk.answers) ? "Non" : "Oui");
    else if (!fillsItself(field)) open({ kind: isToCopy(field) ? "mention" : "value", field });
  };
  const reach = (stop: Stop) => {
    if (!isField(stop)) {
      openDocument(stop.id);
      viewer.current?.focus();
      announceDocument(stop, request);
      return;
    }
    goTo(stop);
    if (opensAtOnce && asks(stop, desk)) activate(stop.id);
  };
  const answered = desk.own.find(({ id }) => id === place.answeredId) ?? null;
  const step = stepOf({ ...place, request, desk, opensAtOnce, reach, activate });
  const goOnFrom = useGoOn({ desk, isOpen, goOn: step.goOn });
  const next = () => {
    step.next();
    // A text field does not go on: its first letter already counts as an answer.
    if (step.current && isAnsweredAtOnce(step.current)) goOnFrom(step.current.id);
  };
  /** Null on an empty field, which Enter fills. */
  const goOnFromFilled = (id: string) => {
    const field = desk.own.find((own) => own.id === id);
    return field && isFilled(field, desk.answers) ? () => step.goOn(id) : null;
  };
  const made = (field: SigningField) => {
    goOnFrom(field.id);
    openNext(field);
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
    goOnFromFilled,
  };
}

function useMarkPresses(desk: Desk, open: WalkOptions["open"]) {
  const everywhere = useEverywhere(desk);
  return {
    putMark: (field: SigningField) => {
      // The first press puts the existing mark, the second changes it.
      const made = desk.markOf(field);
      if (!made || desk.marked.has(field.id)) return open({ kind: "mark", field });
      desk.useMark(made, [field]);
      return everywhere.isToAsk(field) ? open({ kind: "initials" }) : undefined;
    },
    /** Initials made for one field are offered everywhere too. */
    openNext: (field: SigningField) =>
      open(everywhere.isToAsk(field) ? { kind: "initials" } : null),
    applyInitials: () => {
      everywhere.settle();
      const [first] = initialsLeft(desk.own, desk.answers);
      if (first && desk.markOf(first)) desk.applyInitials();
      else if (first) open({ kind: "mark", field: first, forAll: true });
    },
    /** The new mark replaces the refused one in all its places. */
    redoMark: () => {
      const field = refusedField(desk);
      if (field) open({ kind: "mark", field });
      else desk.settle();
    },
  };
}

function announceDocument(shown: SignedDocument, { documents }: OpenedRequest): void {
  announce(`Document ${documents.indexOf(shown) + 1} sur ${documents.length}\u00a0: ${shown.name}`);
}

function refusedField({ phase, own, marked }: Desk): SigningField | undefined {
  const refused = phase.kind === "failed" ? phase.needsMark : null;
  const fields = own.filter((one) => takesMark(one) && purposeOf(one) === refused);
  return fields.find(({ id }) => marked.has(id)) ?? fields[0] ?? own.find(takesMark);
}

type SignedDocument = OpenedRequest["documents"][number];
type Stop = SigningField | SignedDocument;

function isField(stop: Stop): stop is SigningField {
  return "document_id" in stop;
}

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
      // The field has its place only once its document is laid out.
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
  /** Begins at the top, at full width. */
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
  readonly reach: (stop: Stop) => void;
  readonly activate: (id: string) => void;
};

/** Begins, opens the current field, then leads to the next. */
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
  const stopAmong = (offered: readonly SigningField[], from = currentId) =>
    nextStop({ request, desk, currentId: from, unread }, offered);
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
    pass: current && !mustBeFilled(current) ? pass : null,
    /** Goes on from an answered field; stays where none is left. */
    leave: (answered: SigningField) => {
      const stop = stopAmong(desk.offered.filter((field) => field !== answered));
      if (stop !== null && (desk.remaining.length > 0 || !isField(stop))) reach(stop);
      else goTo(answered);
    },
    /** Goes on to a required field, else to the button, else to the consent. */
    goOn: (from: string) => {
      const stop = stopAmong(desk.offered, from);
      if (stop !== null && isField(stop) && desk.remaining.length > 0) goTo(stop);
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

/** Each document is read before the fields of later ones. */
function nextStop(
  { request, desk, currentId, unread }: Pick<Stand, "request" | "desk" | "currentId" | "unread">,
  offered: readonly SigningField[],
): Stop | null {
  const field = nextField(desk.own, offered, currentId);
  const placeOf = (id: string) => request.documents.findIndex((document) => document.id === id);
  const isRead =
    unread === null ||
    (field !== null &&
      desk.remaining.length > 0 &&
      placeOf(field.document_id) <= placeOf(unread.id));
  return isRead ? field : unread;
}

/** A first press only selects, so that nobody marks a field before seeing it. */
function asks(field: SigningField, desk: Desk): boolean {
  return takesMark(field) ? desk.markOf(field) === null : !isTickBox(field);
}

function isAnsweredAtOnce(field: SigningField): boolean {
  return takesMark(field) || isTickBox(field);
}

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
  return isToCopy(current)
    ? "Écrire la mention"
    : isTickBox(current)
      ? "Cocher la case"
      : "Remplir";
}

type GoingOn = {
  readonly desk: Desk;
  readonly isOpen: boolean;
  readonly goOn: (from: string) => void;
};

/** Goes on once no dialog is open; one closed without an answer stays. */
function useGoOn({ desk, isOpen, goOn }: GoingOn): (id: string) => void {
  const left = useRef<string | null>(null);
  useEffect(() => {
    if (left.current === null || isOpen) return;
    const field = desk.own.find(({ id }) => id === left.current);
    left.current = null;
    // `goOn` flushes rendering, which an effect may not.
    if (field && isFilled(field, desk.answers)) queueMicrotask(() => goOn(field.id));
  });
  return (id) => {
    left.current = id;
  };
}

/** The first initials offer the places left, once. */
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

function useFocusedTitle(): void {
  useEffect(() => {
    if (!document.activeElement?.matches("a, button, input, select, textarea"))
      document.querySelector<HTMLElement>("h1")?.focus();
  }, []);
}
