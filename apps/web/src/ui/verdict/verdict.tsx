import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./verdict.module.css";

const VERDICTS = {
  valid: { word: "Signature valide", seal: "valid" },
  indeterminate: { word: "Résultat indéterminé", seal: "unsure" },
  invalid: { word: "Signature non valide", seal: "failed" },
} as const;
type Said = {
  readonly verdict: keyof typeof VERDICTS;
  readonly reason: string;
  readonly word?: string | undefined;
};
type Props = Said & {
  readonly seal?: Parameters<typeof Seal>[0]["state"];
  readonly children?: ReactNode;
};

/** For screen readers. */
export function verdictSentence({ verdict, reason, word = VERDICTS[verdict].word }: Said): string {
  return `${word} — ${reason}`;
}

/** The heading of a page. The page itself announces it where it is awaited. */
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

const ICONS = {
  valid: "shield",
  waiting: "clock",
  unsure: "warning",
  failed: "warning",
  gone: "trash",
} as const;

/** Decorative. */
function Seal({ state }: { readonly state: keyof typeof ICONS }) {
  return (
    <span className={classNames(styles["seal"], styles[state])} aria-hidden="true">
      <Icon name={ICONS[state]} />
    </span>
  );
}
