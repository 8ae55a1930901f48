import styles from "./pdf-viewer.module.css";

export function ViewerSkeleton({ label }: { readonly label: string }) {
  return (
    <div className={styles.viewer} aria-busy="true">
      <div className={styles.bar} />
      <div className={styles.pages}>
        <div className={`sheet ${styles.waiting}`} />
      </div>
      <span className={styles.hidden} role="status">
        {label}
      </span>
    </div>
  );
}
