import type { ReactNode } from "react";
import styles from "./empty-state.module.css";

type Props = { readonly title: string; readonly children?: ReactNode; readonly action?: ReactNode };

export function EmptyState({ title, children, action }: Props) {
  return (
    <div className={styles["empty"]}>
      <div className={styles["sheet"]} aria-hidden="true">
        <span className={styles["stroke"]} />
      </div>
      <h2 className="h2">{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div className={styles["action"]}>{action}</div>}
    </div>
  );
}
