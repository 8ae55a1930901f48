import type { ReactNode } from "react";
import { Icon } from "../icon/icon.tsx";
import styles from "./meaning-list.module.css";

/** `good`: established; `note`: a limit or advice; `bad`: a danger. */
export type MeaningLine = { readonly tone: "good" | "note" | "bad"; readonly text: ReactNode };

const ICONS = { good: "check", note: "info", bad: "alert" } as const;

export function MeaningList({ lines }: { readonly lines: readonly MeaningLine[] }) {
  return (
    <ul className={styles["list"]}>
      {lines.map(({ tone, text }, index) => (
        <li key={index} data-tone={tone}>
          <Icon name={ICONS[tone]} size="sm" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
