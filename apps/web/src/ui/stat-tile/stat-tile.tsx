import type { ReactNode } from "react";
import { Link } from "react-router";
import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import { Skeleton } from "../skeleton/skeleton.tsx";
import styles from "./stat-tile.module.css";

type Props = {
  readonly label: string;
  readonly sign: ReactNode;
  /** Undefined while loading. */
  readonly value: string | undefined;
  readonly hint?: string | undefined;
  readonly to?: string;
  readonly alert?: boolean;
};

/** The whole tile is the link. */
export function StatTile({ label, sign, value, hint, to, alert = false }: Props) {
  const className = classNames(styles["tile"], alert && styles["alert"]);
  const content = (
    <>
      <span className={styles["label"]}>
        {sign}
        {label}
      </span>
      {value === undefined ? (
        <Skeleton width={40} height={41} />
      ) : (
        <span className={styles["number"]}>{value}</span>
      )}
      {hint !== undefined && <span className={styles["hint"]}>{hint}</span>}
    </>
  );
  if (to === undefined) return <div className={className}>{content}</div>;
  return (
    <Link className={className} to={to}>
      {content}
      <Icon name="arrow-right" className={styles["arrow"]} />
    </Link>
  );
}

export function StatTiles({
  children,
  busy = false,
}: {
  readonly children: ReactNode;
  readonly busy?: boolean;
}) {
  return (
    <div className={styles["tiles"]} aria-busy={busy || undefined}>
      {children}
    </div>
  );
}
