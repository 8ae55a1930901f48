import type { NewMark } from "@paraphe/contracts";
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useBottomDock } from "../../../ui/editor-frame/editor-frame.tsx";
import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import type { PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import type { SavedMark } from "../marks/chosen-mark.ts";
import type { GuestParts } from "../guest/guest-parts.tsx";
import { readSignFailure, type SignOutcome } from "../sign-outcome.ts";
import type { SigningCalls } from "../signing-calls.ts";
import styles from "../signing-desk.module.css";
import { SigningHead } from "./signing-head.tsx";
import { DeskActions } from "./desk-actions.tsx";
import type { OpenDialog } from "./desk-dialogs.tsx";
import { DeskPages } from "./desk-pages.tsx";
import { FieldTodo } from "./field-todo.tsx";
import { type SigningField, initialsLeft } from "./field-walk.ts";
import { LaterDialogs, LaterStepDialog } from "./later-parts.tsx";
import { forgetAnswers } from "./saved-answers.ts";
import { type Desk, type DeskMemory, type OpenedRequest, useDesk } from "./use-desk.ts";
import { type FieldWalk, useFieldWalk } from "./use-field-walk.ts";
import type { StepDialogKind } from "./visa-actions.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import barStyles from "./initials-bar.module.css";

type SigningDeskProps = {
  readonly request: OpenedRequest;
  readonly calls: SigningCalls;
  readonly memory: DeskMemory;
  readonly guest: GuestParts | null;
  readonly savedMarks: readonly SavedMark[] | null;
  readonly onSaveMark?: ((mark: NewMark) => void) | undefined;
  readonly lead: ReactNode;
  readonly banner?: ReactNode;
  readonly under: "top-bar" | "nothing";
  readonly onSigned: () => void;
  readonly onDeclined: () => void;
  readonly onOutcome: (outcome: SignOutcome) => void;
};

export function SigningDesk(props: SigningDeskProps) {
  const { request, calls, lead, under, guest, savedMarks, onSaveMark } = props;
  const isWide = useMediaQuery("(min-width: 1024px)");
  /** A guest's dock stays at any width: the one button keeps its place. */
  const isDocked = guest !== null || !isWide;
  const { desk, walk, viewer, dialog, setDialog, step, stepDialog, decline } = useSigning(
    props,
    isDocked,
  );
  const [isReading, setIsReading] = useState(false);
  const actions = {
    desk,
    role: request.recipient.role,
    step,
    walk,
    onDecline: () => setDialog({ kind: "decline" }),
    onRedoMark: walk.redoMark,
  };
  const reading = { isOn: isReading, onToggle: () => setIsReading(!isReading) };
  const next = (
    <DeskNext
      {...{ actions, isDocked, isWide }}
      initials={
        // The on-screen keyboard leaves it no room.
        isDocked && walk.answered ? null : <InitialsBar desk={desk} onApply={walk.applyInitials} />
      }
    />
  );
  return (
    <div className={styles.desk} data-under={under} data-mode={isReading ? "reading" : "pages"}>
      <SigningHead
        {...{ request, lead, reading, under }}
        actions={isDocked ? null : <DeskActions {...actions} place="head" />}
        more={
          guest
            ? {
                Menu: guest.Menu,
                onDecline: desk.isBusy ? null : actions.onDecline,
                onHelp: () => setDialog({ kind: "help" }),
              }
            : null
        }
        load={calls.file}
      />
      {props.banner}
      <main className={styles.main} id="contenu" inert={desk.isBusy}>
        <DeskPages {...{ request, desk, walk, viewer, isWide, guest, isReading, calls }} />
        {isWide ? <DeskSide {...{ desk, walk, isDocked }}>{next}</DeskSide> : null}
      </main>
      {isWide ? null : next}
      {stepDialog}
      {dialog === null ? null : (
        <LaterDialogs
          {...{ request, desk, dialog, savedMarks, onSaveMark }}
          onDecline={decline}
          onMade={walk.made}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  );
}

function useSigning(props: SigningDeskProps, opensAtOnce: boolean) {
  const { request, calls, memory, onSigned, onDeclined, onOutcome } = props;
  const desk = useDesk({ request, calls, memory, onSigned, onOutcome });
  const viewer = useRef<PdfViewerHandle>(null);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [stepDialog, openStep] = useState<StepDialogKind | null>(null);
  const step = { step: request.step, onOpen: openStep };
  const isOpen = dialog !== null || stepDialog !== null;
  const walk = useFieldWalk({
    request,
    desk,
    isBusy: desk.isBusy,
    opensAtOnce,
    viewer,
    isOpen,
    open: setDialog,
  });
  useFirstWrong(desk, walk.goTo);
  useWalkKeys(!isOpen && !desk.isBusy, walk);
  useAnnouncedWork(desk);
  const decline = async (reason: string) => {
    try {
      await calls.decline(reason);
    } catch (error) {
      const outcome = readSignFailure(error);
      if (outcome.kind !== "reload") throw error;
      setDialog(null);
      return onOutcome(outcome);
    }
    forgetAnswers(request);
    onDeclined();
  };
  const shownStep =
    stepDialog === null ? null : (
      <LaterStepDialog
        {...{ calls, step: request.step, onOutcome }}
        signedCount={request.progress.signed}
        kind={stepDialog}
        onClose={() => openStep(null)}
      />
    );
  return { desk, walk, viewer, dialog, setDialog, step, stepDialog: shownStep, decline };
}

type DeskNextProps = {
  readonly actions: Omit<ComponentProps<typeof DeskActions>, "place">;
  readonly initials: ReactNode;
  readonly isDocked: boolean;
  readonly isWide: boolean;
};

function DeskNext({ actions, initials, isDocked, isWide }: DeskNextProps) {
  const dock = useBottomDock();
  if (!isDocked)
    return (
      <>
        {initials}
        <DeskActions {...actions} place="side" />
      </>
    );
  return (
    <section
      className={styles.dock}
      ref={isWide ? undefined : dock}
      aria-label="Suite de la signature"
    >
      {initials}
      <DeskActions {...actions} place="dock" />
    </section>
  );
}

type DeskSideProps = {
  readonly desk: Desk;
  readonly walk: FieldWalk;
  readonly isDocked: boolean;
  readonly children: ReactNode;
};

function DeskSide({ desk, walk, isDocked, children }: DeskSideProps) {
  return (
    <aside className={styles.side} aria-label="À remplir" data-docked={isDocked || undefined}>
      <FieldTodo desk={desk} currentId={walk.currentId} onGo={walk.goTo} />
      {children}
    </aside>
  );
}

function useFirstWrong(desk: Desk, goTo: (field: SigningField) => void): void {
  const shown = useRef(desk.errors);
  useEffect(() => {
    if (shown.current === desk.errors || desk.phase.kind !== "failed") return;
    shown.current = desk.errors;
    const first = desk.own.find((field) => desk.errors[field.id]);
    // `goTo` flushes rendering, which an effect may not.
    if (first) queueMicrotask(() => goTo(first));
  }, [desk, goTo]);
}

function useAnnouncedWork(desk: Desk): void {
  const remaining = desk.remaining.length;
  const applied = desk.applied ? `${describeApplied(desk.applied)}. ` : "";
  const before = useRef({ remaining, applied });
  useEffect(() => {
    const isNew =
      before.current.remaining !== remaining ||
      (applied !== "" && before.current.applied !== applied);
    before.current = { remaining, applied };
    if (isNew)
      announce(
        applied +
          (remaining === 0
            ? "Tout est rempli"
            : plural(remaining, "champ restant", "champs restants")),
      );
  }, [remaining, applied]);
}

export function useWalkKeys(
  isOn: boolean,
  { next, goOnFromFilled }: Pick<FieldWalk, "next" | "goOnFromFilled">,
): void {
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (!(target instanceof HTMLElement) || target.matches("input, textarea, select")) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const id = target.closest("[data-field]")?.getAttribute("data-field");
      const goOn =
        key.toLowerCase() === "n" ? next : key === "Enter" && id ? goOnFromFilled(id) : null;
      if (!goOn) return;
      // The opened field would otherwise get the letter, or the button a press.
      event.preventDefault();
      if (!event.repeat) goOn();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOn, next, goOnFromFilled]);
}

/** Absent where there is one place only. */
export function InitialsBar({
  desk,
  onApply,
}: {
  readonly desk: Desk;
  readonly onApply: () => void;
}) {
  if (desk.applied) {
    return (
      <div className={barStyles.bar}>
        <span>
          <Icon name="check" size="sm" /> {describeApplied(desk.applied)}
        </span>
        <LinkAction onClick={desk.undoApplied}>Annuler</LinkAction>
      </div>
    );
  }
  const left = initialsLeft(desk.own, desk.answers).length;
  const isOneOfMany = desk.own.filter((field) => field.type === "initials").length > 1;
  if (left === 0 || !isOneOfMany) return null;
  return (
    <div className={barStyles.bar}>
      <span>{plural(left, "paraphe à poser", "paraphes à poser")}</span>
      <Button size="sm" onClick={onApply}>
        Appliquer partout
      </Button>
    </div>
  );
}

function describeApplied({
  count,
  isInitials,
}: {
  readonly count: number;
  readonly isInitials: boolean;
}): string {
  return `${isInitials ? "Paraphe posé" : "Signature posée"} à ${plural(count, "endroit")}`;
}
