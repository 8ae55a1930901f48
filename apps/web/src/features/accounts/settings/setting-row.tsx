import type { ReactNode } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { IconName } from "../../../ui/icon/icon-paths.ts";
import styles from "./settings.module.css";

type Props = {
  readonly title: ReactNode;
  /** Lets a control of the row take its name from the title. */
  readonly titleId?: string;
  readonly icon?: IconName;
  /** What the title means here: lines of `p`. */
  readonly children?: ReactNode;
  readonly control: ReactNode;
  /** The control goes under the words on a phone. */
  readonly stacked?: boolean;
};

/** One setting: what it is, and the control that changes it. */
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
