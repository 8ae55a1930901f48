import { Fragment, type ReactNode } from "react";
import styles from "./key-value.module.css";

export function KeyValue({
  entries,
}: {
  readonly entries: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className={styles["list"]}>
      {entries.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
