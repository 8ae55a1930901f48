import styles from "../field-layer.module.css";

export function FieldLetters({ letters }: { letters: string }) {
  return <span className={styles.who} data-letters={letters} aria-hidden="true" />;
}
