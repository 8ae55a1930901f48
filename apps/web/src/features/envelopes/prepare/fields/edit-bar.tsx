import { formatTime } from "../../../../lib/format/format-dates.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { BottomDock, DockRow } from "../../../../ui/editor-frame/editor-frame.tsx";
import { StepBar } from "../../../../ui/editor-frame/step-bar.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import type { SaveStatus } from "../draft/draft.ts";
import { PREPARE_STEPS } from "../steps.ts";
import styles from "./edit-bar.module.css";

/** Shown in the bar on a wide screen, else in the dock. */
export type StepActions = {
  readonly back: (() => void) | null;
  readonly next: () => void;
  readonly nextLabel: string;
  readonly dockLabel: string;
  readonly note: string | null;
  readonly isBlocked: boolean;
  readonly isBusy: boolean;
};
type EditBarProps = {
  readonly title: string;
  readonly status: SaveStatus;
  /** The files on their way: without them the draft is not saved. */
  readonly sending: number;
  readonly step: number;
  readonly reached: number;
  /** Steps that lack something; null until known. */
  readonly unfinished: ReadonlySet<number> | null;
  readonly onStep: (index: number) => void;
  readonly onRetry: () => void;
  readonly actions: StepActions;
};

export function EditBar({
  title,
  status,
  sending,
  step,
  reached,
  unfinished,
  onStep,
  onRetry,
  actions,
}: EditBarProps) {
  return (
    <>
      <StepBar
        label="Enveloppe en préparation"
        leave={{ to: "/signature/envelopes/drafts", label: "Quitter l’éditeur" }}
        title={title || "Nouvelle enveloppe"}
        note={
          <small role="status">
            {actions.note ?? <SaveText status={status} sending={sending} onRetry={onRetry} />}
          </small>
        }
        steps={{
          steps: PREPARE_STEPS.map((entry) => entry.label),
          current: step,
          reached,
          unfinished,
          onSelect: onStep,
        }}
        buttons={
          <>
            {actions.back ? <Button onClick={actions.back}>Retour</Button> : null}
            <Button
              variant="primary"
              onClick={actions.next}
              blocked={actions.isBlocked}
              loading={actions.isBusy}
            >
              {actions.nextLabel}
            </Button>
          </>
        }
      />
      {/* The field step has a dock of its own, with the palette. */}
      {PREPARE_STEPS[step]?.step === "fields" ? null : (
        <BottomDock place="window">
          {/* The bar announces it; here it stands by the pressed button. */}
          {actions.note === null ? null : <p className="small">{actions.note}</p>}
          <StepButtons actions={actions} />
        </BottomDock>
      )}
    </>
  );
}

export function StepButtons({ actions }: { actions: StepActions }) {
  return (
    <DockRow>
      {actions.back ? (
        <Button size="lg" onClick={actions.back}>
          Retour
        </Button>
      ) : null}
      <Button
        variant="primary"
        size="lg"
        className="grow"
        onClick={actions.next}
        blocked={actions.isBlocked}
        loading={actions.isBusy}
      >
        {actions.dockLabel}
      </Button>
    </DockRow>
  );
}

type SaveTextProps = Pick<EditBarProps, "status" | "sending" | "onRetry">;

function SaveText({ status, sending, onRetry }: SaveTextProps) {
  switch (status.kind) {
    case "conflict":
      return "Modifications non enregistrées";
    case "failed":
      return (
        <span className={styles.failed}>
          Non enregistré — <LinkAction onClick={onRetry}>Réessayer</LinkAction>
        </span>
      );
    case "gone":
      return "Ce brouillon n’existe plus.";
    default:
      return sending > 0 ? `Envoi de ${plural(sending, "fichier")}…` : savedWords(status);
  }
}

function savedWords(status: SaveStatus): string {
  if (status.kind === "saving") return "Enregistrement…";
  if (status.kind === "saved")
    return `Brouillon enregistré à ${formatTime(status.at.toISOString())}`;
  return status.kind === "dirty" ? "Modifications non enregistrées" : "Brouillon";
}
