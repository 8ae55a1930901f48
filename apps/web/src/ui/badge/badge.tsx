import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import styles from "./badge.module.css";

export type Tone =
  | "draft"
  | "sent"
  | "posted"
  | "opened"
  | "completed"
  | "cancelled"
  | "action"
  | "declined"
  | "expired"
  | "info";

const disc = <circle cx="6" cy="6" r="5.4" fill="currentColor" />;
const line = {
  fill: "none",
  stroke: "currentColor",
  strokeWidth: 1.4,
  strokeLinecap: "round",
  strokeLinejoin: "round",
} as const;
const ringLine = { cx: 6, cy: 6, r: 4.6, ...line, strokeWidth: 1.6 };
const ring = <circle {...ringLine} />;
const onDisc = { ...line, stroke: "var(--surface)", strokeWidth: 1.5 };

/** Shapes differ, so that colour is never the only sign. */
const GLYPHS: Readonly<Record<Tone, ReactNode>> = {
  draft: <circle {...ringLine} strokeLinecap="butt" strokeDasharray="2 1.6" />,
  sent: (
    <>
      {ring}
      <path d="M6 2.8a3.2 3.2 0 0 1 0 6.4z" fill="currentColor" />
    </>
  ),
  posted: (
    <>
      {ring}
      <path d="m3.7 6.1 1.6 1.7 3-3.5" {...line} />
    </>
  ),
  opened: (
    <>
      <path d="M.8 6C2 3.8 3.8 2.6 6 2.6S10 3.8 11.2 6C10 8.2 8.2 9.4 6 9.4S2 8.2.8 6z" {...line} />
      <circle cx="6" cy="6" r="1.6" fill="currentColor" />
    </>
  ),
  completed: (
    <>
      {disc}
      <path d="m3.5 6.2 1.8 1.8 3.2-3.7" {...onDisc} />
    </>
  ),
  cancelled: (
    <>
      {ring}
      <path d="m3 3 6 6" stroke="currentColor" strokeWidth="1.6" />
    </>
  ),
  action: (
    <>
      {disc}
      <path d="M6 3.2v3.3M6 8.6v.1" {...onDisc} />
    </>
  ),
  declined: (
    <>
      {disc}
      <path d="m4 4 4 4M8 4 4 8" {...onDisc} />
    </>
  ),
  expired: (
    <>
      {ring}
      <path d="M6 3.6V6l1.8 1.2" {...line} />
    </>
  ),
  info: (
    <>
      {disc}
      <path d="M6 5.6v3M6 3.4v.1" {...onDisc} />
    </>
  ),
};

/** Decorative. */
export function StatusGlyph({ tone }: { readonly tone: Tone }) {
  return (
    <svg className={styles["glyph"]} data-tone={tone} viewBox="0 0 12 12" aria-hidden="true">
      {GLYPHS[tone]}
    </svg>
  );
}

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classNames(styles["badge"], styles[tone])}>
      <StatusGlyph tone={tone} />
      {children}
    </span>
  );
}
