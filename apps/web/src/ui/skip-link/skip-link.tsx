import styles from "./skip-link.module.css";

/** The first stop of the Tab order: jumps over the bars to the content. */
export function SkipLink() {
  return (
    <a className={styles["skip"]} href="#contenu">
      Aller au contenu
    </a>
  );
}
