import type { ReactNode } from "react";
import styles from "./editor-frame.module.css";

type Props = {
  /** Names the bar. */
  readonly label: string;
  /** The way out. */
  readonly leave: ReactNode;
  readonly title: ReactNode;
  /** A `small` under the title. */
  readonly note: ReactNode;
  readonly steps?: ReactNode;
  /** The buttons of a wide screen; a small one has them in its dock. */
  readonly buttons: ReactNode;
};

/** The bar over an editor: leave, what it is, how far, next. */
export function EditorBar({ label, leave, title, note, steps, buttons }: Props) {
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
