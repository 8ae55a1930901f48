import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import {
  formatExactInstant,
  formatShortInstant,
  formatTime,
} from "../../lib/format/format-dates.ts";
import { Icon, type IconName } from "../icon/icon.tsx";
import styles from "./timeline.module.css";

export type TimelineItem = {
  readonly key: string;
  readonly icon: IconName;
  readonly tone: "neutral" | "done" | "waiting" | "refused";
  readonly text: ReactNode;
  /** Absent for a future event. */
  readonly at?: string | undefined;
  /** Shows the second too. */
  readonly isExact?: boolean;
  /** When a repeated event first happened that day. */
  readonly since?: string | undefined;
  readonly notes: readonly string[];
};

export function Timeline({ items }: { readonly items: readonly TimelineItem[] }) {
  return (
    <ol className={styles["timeline"]}>
      {items.map((item) => (
        <li key={item.key} tabIndex={-1}>
          <span className={classNames(styles["dot"], item.tone !== "neutral" && styles[item.tone])}>
            <Icon name={item.icon} />
          </span>
          <div>
            <b>{item.text}</b>
            {item.at !== undefined && (
              <small className={`num ${styles["when"]}`}>
                <time dateTime={item.at} title={formatExactInstant(item.at)}>
                  {item.isExact === true
                    ? formatExactInstant(item.at)
                    : formatShortInstant(item.at)}
                </time>
                {item.since !== undefined && (
                  <>
                    , depuis <time dateTime={item.since}>{formatTime(item.since)}</time>
                  </>
                )}
              </small>
            )}
            {item.notes.map((note) => (
              <small key={note}>{note}</small>
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}
