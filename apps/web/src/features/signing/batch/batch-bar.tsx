import type { ReactNode } from "react";
import { StepBar } from "../../../ui/editor-frame/step-bar.tsx";

const BATCH_STEPS = ["Fichiers", "Position", "Résultat"] as const;

type BatchBarProps = {
  readonly subtitle: ReactNode;
  /** From 0; the number of steps once all are done. */
  readonly step: number;
  readonly onStep?: (index: number) => void;
  /** Wide screens only: small ones have them in the dock. */
  readonly actions?: ReactNode;
};

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
