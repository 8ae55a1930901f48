import { useId } from "react";
import { PEN_PATH, STROKE_PATH } from "./stroke-paths.ts";
import styles from "./success-stroke.module.css";

/** The flourish, drawn once. Decorative. */
export function SuccessStroke() {
  const mask = useId();
  return (
    <svg className={styles["stroke"]} viewBox="0 0 650 150" fill="currentColor" aria-hidden="true">
      <defs>
        <mask id={mask} maskUnits="userSpaceOnUse" x="0" y="0" width="650" height="150">
          <path className={styles["pen"]} d={PEN_PATH} />
        </mask>
      </defs>
      <path mask={`url(#${mask})`} d={STROKE_PATH} />
    </svg>
  );
}
