import type { ReactNode } from "react";
import { StepBar } from "../../../ui/editor-frame/step-bar.tsx";

export const BATCH_STEPS = ["Fichiers", "Position", "Résultat"] as const;

type BatchBarProps = {
  readonly subtitle: ReactNode;
  /** Index of the step, from 0; the number of steps when all are done. */
  readonly step: number;
  readonly onStep?: (index: number) => void;
  /** The buttons of a wide screen; a small one has them in its dock. */
  readonly actions?: ReactNode;
};

/** The bar over the page: leave, what it is, steps, next. */
export function BatchBar({ subtitle, step, onStep, actions }: BatchBarProps) {
  return (
    <StepBar
      label="Signature masse"
      leave={{ to: "/dashboard", label: "Quitter" }}
      title="Signature masse"
      note={<small className="truncate">{subtitle}</small>}
      steps={{ steps: BATCH_STEPS, current: step, ...(onStep ? { onSelect: onStep } : {}) }}
      buttons={actions}
    />
  );
}
