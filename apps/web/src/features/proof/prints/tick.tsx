import { Icon } from "../../../ui/icon/icon.tsx";
import type { IconName } from "../../../ui/icon/icon-paths.ts";
import styles from "./proof-cards.module.css";
import type { RevocationWord } from "./revocation-word.ts";

const SIGNS = { good: "check", bad: "alert", unsure: "help" } as const;
type Props = { readonly word: RevocationWord /** In the place of the tone's own sign. */; readonly icon?: IconName };

/** A finding in a word, with its sign. */
export function Tick({ word, icon }: Props) {
  return (
    <span className={styles["tick"]} data-tone={word.tone}>
      <Icon name={icon ?? SIGNS[word.tone]} size="sm" />
      {word.word}
    </span>
  );
}
