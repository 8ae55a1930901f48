import type { ReactNode } from "react";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { EditorBar } from "../../ui/editor-frame/editor-bar.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { Stepper } from "../../ui/stepper/stepper.tsx";

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
    <EditorBar
      label="Signature masse"
      leave={
        <LinkButton to="/dashboard" variant="ghost" square aria-label="Quitter">
          <Icon name="close" />
        </LinkButton>
      }
      title="Signature masse"
      note={<small className="truncate">{subtitle}</small>}
      steps={<Stepper steps={BATCH_STEPS} current={step} {...(onStep ? { onSelect: onStep } : {})} />}
      buttons={actions}
    />
  );
}
