import type { ReactNode } from "react";
import { Seal } from "../seal/seal.tsx";
import styles from "./verdict.module.css";

const VERDICTS = {
  valid: { word: "Signature valide", seal: "valid" },
  indeterminate: { word: "Résultat indéterminé", seal: "unsure" },
  invalid: { word: "Signature non valide", seal: "failed" },
} as const;
type Said = {
  readonly verdict: keyof typeof VERDICTS;
  /** Why, and what it means. */
  readonly reason: string;
  /** In the place of the verdict's own word. */
  readonly word?: string | undefined;
};
type Props = Said & {
  /** In the place of the verdict's own seal. */
  readonly seal?: Parameters<typeof Seal>[0]["state"];
  readonly children?: ReactNode;
};

/** A verdict as it is read aloud. */
export function verdictSentence({ verdict, reason, word = VERDICTS[verdict].word }: Said): string {
  return `${word} — ${reason}`;
}

/** The band at the head of a page: its verdict is the page's heading. It is not announced by itself: the page tells it where it is waited for. */
export function Verdict({
  verdict,
  reason,
  word = VERDICTS[verdict].word,
  seal = VERDICTS[verdict].seal,
  children,
}: Props) {
  return (
    <div className={styles["verdict"]} data-verdict={verdict} data-seal={seal}>
      <Seal state={seal} />
      <div>
        <h1 className="h1" tabIndex={-1}>
          {word}
        </h1>
        <p>{reason}</p>
        {children}
      </div>
    </div>
  );
}
