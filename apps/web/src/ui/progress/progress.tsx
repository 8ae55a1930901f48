import { formatPercent, plural } from "../../lib/format-numbers.ts";
import { ProgressBar } from "./progress-bar.tsx";
import styles from "./progress.module.css";

type Props = { readonly signed: number; readonly total: number; readonly percent: number };

/** How many have signed, and the bar. */
export function Progress({ signed, total, percent }: Props) {
  return (
    <div className={styles["progress"]}>
      <div className={styles["text"]}>
        <span>{`${signed}/${total}`}</span>
        <span>{formatPercent(percent)}</span>
      </div>
      <ProgressBar percent={percent} label={`${plural(signed, "signataire")} sur ${total}`} />
    </div>
  );
}
