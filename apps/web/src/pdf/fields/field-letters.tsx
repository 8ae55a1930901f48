import styles from "../field-layer.module.css";

/** Decorative: the field's name tells its person. */
export function FieldLetters({ letters }: { letters: string }) {
  return <span className={styles.who} data-letters={letters} aria-hidden="true" />;
}
