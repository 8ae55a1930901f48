import type { ReactNode } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { Icon, type IconName } from "../../../ui/icon/icon.tsx";
import styles from "./settings.module.css";

type Props = {
  readonly title: ReactNode;
  /** The id by which a control takes its name from the title. */
  readonly titleId?: string;
  readonly icon?: IconName;
  readonly children?: ReactNode;
  readonly control: ReactNode;
  /** On a phone, the control goes below the text. */
  readonly stacked?: boolean;
};

export function SettingRow({ title, titleId, icon, children, control, stacked }: Props) {
  return (
    <div className={classNames(styles["row"], stacked && styles["stacked"])}>
      <div className={styles["what"]}>
        {icon && (
          <span className={styles["sign"]}>
            <Icon name={icon} size="lg" />
          </span>
        )}
        <div>
          <b id={titleId}>{title}</b>
          {children}
        </div>
      </div>
      {control}
    </div>
  );
}
