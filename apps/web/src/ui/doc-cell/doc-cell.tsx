import type { ReactNode } from "react";
import { Link } from "react-router";
import styles from "./doc-cell.module.css";

/** Decorative. */
export function DocIcon() {
  return <span className={styles["icon"]} aria-hidden="true" />;
}

type Props = {
  readonly title: string;
  readonly to?: string | undefined;
  readonly subtitle?: string | undefined;
  readonly children?: ReactNode;
};

export function DocCell({ title, to, subtitle, children }: Props) {
  return (
    <div className={styles["doc"]}>
      <DocIcon />
      <div className={styles["text"]}>
        {to === undefined ? (
          <b title={title}>{title}</b>
        ) : (
          <Link to={to} title={title}>
            <span>{title}</span>
          </Link>
        )}
        {subtitle !== undefined && <small title={subtitle}>{subtitle}</small>}
        {children}
      </div>
    </div>
  );
}
