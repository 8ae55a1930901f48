import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./proof-cards.module.css";
import type { RevocationWord } from "./revocation-word.ts";

/** A finding in a word, with its sign. */
export function Tick({ word }: { readonly word: RevocationWord }) {
  return (
    <span className={styles["tick"]} data-tone={word.tone}>
      <Icon name={word.tone === "good" ? "check" : word.tone === "bad" ? "alert" : "help"} size="sm" />
      {word.word}
    </span>
  );
}
