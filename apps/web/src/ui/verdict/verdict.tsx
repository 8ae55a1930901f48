import type { ReactNode, Ref } from "react";
import { Icon } from "../icon/icon.tsx";
import styles from "./verdict.module.css";

const VERDICTS = {
  valid: { word: "Signature valide", icon: "check-circle" },
  indeterminate: { word: "Résultat indéterminé", icon: "info" },
  invalid: { word: "Signature non valide", icon: "alert" },
} as const;
type Said = {
  readonly verdict: keyof typeof VERDICTS;
  /** Why, and what it means. */
  readonly reason: string;
  /** In the place of the verdict's own word. */
  readonly word?: string | undefined;
};

/** A verdict as it is read aloud. */
export function verdictSentence({ verdict, reason, word = VERDICTS[verdict].word }: Said): string {
  return `${word} — ${reason}`;
}

/** A verdict in a word with its sign, and why. It is not announced by itself: the page tells it where it is waited for. */
export function Verdict({
  verdict,
  reason,
  word = VERDICTS[verdict].word,
  ref,
  children,
}: Said & { readonly ref?: Ref<HTMLDivElement>; readonly children?: ReactNode }) {
  const { icon } = VERDICTS[verdict];
  return (
    <div className={styles["verdict"]} data-verdict={verdict} ref={ref}>
      <Icon name={icon} size="lg" />
      <div>
        <p>
          <strong>{word}</strong>
          {` — ${reason}`}
        </p>
        {children}
      </div>
    </div>
  );
}
