import type { ReactNode, Ref } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./alert.module.css";

type Props = {
  readonly tone: "danger" | "success" | "warning" | "info";
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly isAnnounced?: boolean;
  readonly ref?: Ref<HTMLDivElement>;
};

const ICONS = {
  danger: "alert",
  success: "check-circle",
  warning: "warning",
  info: "info",
} as const;

export function Alert({ tone, title, children, isAnnounced = true, ref }: Props) {
  const role = tone === "danger" ? "alert" : "status";
  return (
    <div
      className={classNames(styles["alert"], styles[tone])}
      role={isAnnounced ? role : undefined}
      ref={ref}
      tabIndex={ref ? -1 : undefined}
    >
      <Icon name={ICONS[tone]} />
      <div className={styles["body"]}>
        {title !== undefined && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}
