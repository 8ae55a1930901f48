import { classNames } from "../../lib/class-names.ts";
import styles from "./progress.module.css";

type Props = {
  readonly percent: number;
  readonly label: string;
  readonly size?: "md" | "lg";
  /** What a whole bar is: the end of something, or a limit. */
  readonly whole?: "done" | "limit";
};

/** A bar that shows a part of a whole; green when whole, red where that is a limit. */
export function ProgressBar({ percent, label, size = "md", whole = "done" }: Props) {
  return (
    <div
      className={classNames(styles["bar"], percent >= 100 && styles[whole], size === "lg" && styles["lg"])}
      role="img"
      aria-label={label}
    >
      <i style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
    </div>
  );
}
