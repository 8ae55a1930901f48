import styles from "./top-bar.module.css";

/** Keeps the bar's room while its file comes: the page below does not move. */
export function TopBarPlace() {
  return <div className={styles["bar"]} aria-hidden="true" />;
}
