import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { formatExactTime } from "../../lib/format-dates.ts";
import { Icon } from "../icon/icon.tsx";
import type { IconName } from "../icon/icon-paths.ts";
import styles from "./timeline.module.css";

export type TimelineItem = {
  readonly key: string;
  readonly icon: IconName;
  readonly tone: "neutral" | "done" | "waiting" | "refused";
  readonly text: ReactNode;
  /** Instant of what happened, shown without its day, which a heading above tells; none for what is awaited. */
  readonly at?: string | undefined;
  /** When it began, of what happened several times. */
  readonly since?: string | undefined;
  readonly note?: ReactNode;
};

/** What happened, newest first. */
export function Timeline({ items }: { readonly items: readonly TimelineItem[] }) {
  return (
    <ol className={styles["timeline"]}>
      {items.map((item) => (
        <li key={item.key}>
          <span className={classNames(styles["dot"], item.tone !== "neutral" && styles[item.tone])}>
            <Icon name={item.icon} />
          </span>
          <div>
            <b>{item.text}</b>
            {item.at !== undefined && (
              <small className="num">
                {item.since !== undefined && (
                  <>
                    De <time dateTime={item.since}>{formatExactTime(item.since)}</time> à{" "}
                  </>
                )}
                <time dateTime={item.at}>{formatExactTime(item.at)}</time>
              </small>
            )}
            {item.note !== undefined && <small>{item.note}</small>}
          </div>
        </li>
      ))}
    </ol>
  );
}
