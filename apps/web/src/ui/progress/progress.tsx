import { classNames } from "../../lib/class-names.ts";
import { formatPercent, plural } from "../../lib/format/format-numbers.ts";
import styles from "./progress.module.css";

type ProgressBarProps = {
  readonly percent: number;
  readonly label: string;
  readonly size?: "md" | "lg";
  /** Whether a full bar is a success or a limit. */
  readonly whole?: "done" | "limit";
};

/** Green when full, red when that is a limit. */
export function ProgressBar({ percent, label, size = "md", whole = "done" }: ProgressBarProps) {
  return (
    <div
      className={classNames(
        styles["bar"],
        percent >= 100 && styles[whole],
        size === "lg" && styles["lg"],
      )}
      role="img"
      aria-label={label}
    >
      <i style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
    </div>
  );
}

type ProgressProps = {
  readonly signed: number;
  readonly total: number;
  readonly percent: number;
  readonly word: string;
};

export function Progress({ signed, total, percent, word }: ProgressProps) {
  return (
    <div className={styles["progress"]}>
      <div className={styles["text"]}>
        <span>{`${signed}/${total}`}</span>
        <span>{formatPercent(percent)}</span>
      </div>
      <ProgressBar percent={percent} label={`${plural(signed, word)} sur ${total}`} />
    </div>
  );
}
