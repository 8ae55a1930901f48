import { type ReactNode, useId } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { Switch } from "../../../ui/switch/switch.tsx";
import styles from "./option-card.module.css";

type OptionCardProps = {
  readonly title: string;
  readonly children: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

export function OptionCard({ title, children, checked, onChange }: OptionCardProps) {
  const id = useId();
  return (
    <div className={classNames("card card__body", styles.option)}>
      <div>
        <b id={id}>{title}</b>
        <p id={`${id}-words`} className="muted small">
          {children}
        </p>
      </div>
      <Switch
        aria-labelledby={id}
        aria-describedby={`${id}-words`}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
