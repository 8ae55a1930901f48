import styles from "./doc-cell.module.css";

/** A sheet with one turned corner, decorative. */
export function DocIcon() {
  return <span className={styles["icon"]} aria-hidden="true" />;
}
