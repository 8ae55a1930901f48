import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { StatusGlyph, type Tone } from "./status-glyph.tsx";
import styles from "./badge.module.css";

/** A status in a word, with its sign. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classNames(styles["badge"], styles[tone])}>
      <StatusGlyph tone={tone} />
      {children}
    </span>
  );
}
