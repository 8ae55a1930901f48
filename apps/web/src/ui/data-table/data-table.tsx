import { CARD_BREAKPOINT_PX } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { classNames } from "../../lib/class-names.ts";
import { useMediaQuery } from "../../lib/browser/use-media-query.ts";
import styles from "./data-table.module.css";

export type Column<T> = {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  readonly className?: string;
  readonly wide?: boolean;
};

/** Not printed. */
export function actionsColumn<T>(cell: (row: T) => ReactNode): Column<T> {
  return { key: "actions", header: "Actions", className: "off-paper", cell };
}

type Props<T> = {
  readonly caption: string;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly rowTone?: (row: T) => "danger" | undefined;
  readonly columns: readonly Column<T>[];
  readonly renderCard: (row: T) => ReactNode;
};

export function DataTable<T>({ caption, rows, rowKey, rowTone, columns, renderCard }: Props<T>) {
  const asCards = useMediaQuery(`(max-width: ${CARD_BREAKPOINT_PX - 0.02}px)`);
  if (asCards) {
    return (
      <ul className={styles["cards"]} aria-label={caption}>
        {rows.map((row) => (
          <li
            key={rowKey(row)}
            data-row={rowKey(row)}
            className={classNames(
              styles["card"],
              rowTone?.(row) === "danger" && styles["cardDanger"],
            )}
          >
            {renderCard(row)}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div className={styles["wrap"]}>
      <table className={styles["table"]}>
        <caption className="sr">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={column.className}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              data-row={rowKey(row)}
              className={rowTone?.(row) === "danger" ? styles["danger"] : undefined}
            >
              {columns.map((column) => (
                <td
                  key={column.key}
                  className={classNames(column.className, column.wide && styles["wide"])}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function RowActions({ children }: { readonly children: ReactNode }) {
  return <span className={styles["actions"]}>{children}</span>;
}
