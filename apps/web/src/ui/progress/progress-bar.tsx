import { classNames } from "../../lib/class-names.ts";
import styles from "./progress.module.css";

type Props = { readonly percent: number; readonly label: string; readonly size?: "md" | "lg" };

/** A bar that shows a part of a whole; green when whole. */
export function ProgressBar({ percent, label, size = "md" }: Props) {
  return (
    <div
      className={classNames(styles["bar"], percent >= 100 && styles["done"], size === "lg" && styles["lg"])}
      role="img"
      aria-label={label}
    >
      <i style={{ width: `${Math.min(100, Math.max(0, percent))}%` }} />
    </div>
  );
}
