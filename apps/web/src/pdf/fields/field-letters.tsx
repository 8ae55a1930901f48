import styles from "../field-layer.module.css";

/** The initials of a field's person, drawn and not written: the field's own name says whose it is. */
export function FieldLetters({ letters }: { letters: string }) {
  return <span className={styles.who} data-letters={letters} aria-hidden="true" />;
}
