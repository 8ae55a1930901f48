import type { ComponentProps, ReactNode } from "react";
import { LinkButton } from "../button/link-button.tsx";
import { Icon } from "../icon/icon.tsx";
import { Stepper } from "../stepper/stepper.tsx";
import styles from "./editor-frame.module.css";

type EditorBarProps = {
  /** Accessible name. */
  readonly label: string;
  readonly leave: ReactNode;
  readonly title: ReactNode;
  readonly note: ReactNode;
  readonly steps?: ReactNode;
  /** For wide screens; small ones have a dock. */
  readonly buttons: ReactNode;
};

export function EditorBar({ label, leave, title, note, steps, buttons }: EditorBarProps) {
  return (
    <section className={styles["bar"]} aria-label={label}>
      {leave}
      <div className={styles["title"]}>
        <b className="truncate">{title}</b>
        {note}
      </div>
      {Boolean(steps) && <div className={styles["steps"]}>{steps}</div>}
      <div className={styles["buttons"]}>{buttons}</div>
    </section>
  );
}

type StepBarProps = {
  /** Accessible name. */
  readonly label: string;
  readonly leave: { readonly to: string; readonly label: string };
  readonly title: string;
  readonly note: ReactNode;
  readonly steps: ComponentProps<typeof Stepper>;
  readonly buttons?: ReactNode;
};

export function StepBar({ leave, steps, buttons, ...bar }: StepBarProps) {
  return (
    <EditorBar
      {...bar}
      leave={
        <LinkButton to={leave.to} variant="ghost" square aria-label={leave.label}>
          <Icon name="close" />
        </LinkButton>
      }
      steps={<Stepper {...steps} />}
      buttons={buttons}
    />
  );
}
