import { Link } from "react-router";
import styles from "./link-tabs.module.css";

type Props = {
  readonly label: string;
  readonly tabs: readonly {
    readonly to: string;
    readonly label: string;
    readonly count?: number | null | undefined;
    /** Of the count, for screen readers. */
    readonly countLabel?: string;
  }[];
  readonly current: string;
};

export function LinkTabs({ label, tabs, current }: Props) {
  return (
    <nav className={styles["tabs"]} aria-label={label}>
      {tabs.map(({ to, label: words, count, countLabel }) => (
        <Link key={to} to={to} aria-current={to === current ? "page" : undefined}>
          {words}
          {count !== undefined && count !== null && (
            <>
              {" "}
              <span className={styles["count"]}>
                {count}
                {countLabel && <span className="sr"> {countLabel}</span>}
              </span>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
