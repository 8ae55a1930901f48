import { Fragment, type ReactNode, type Ref } from "react";
import { classNames } from "../../lib/class-names.ts";
import { formatPercent } from "../../lib/format/format-numbers.ts";
import { DocIcon } from "../doc-cell/doc-cell.tsx";
import styles from "./file-item.module.css";

type Props = {
  readonly ref?: Ref<HTMLLIElement>;
  readonly name: string;
  readonly meta?: ReactNode;
  readonly error?: string | undefined;
  /** A thumbnail instead of the icon; fills its place. */
  readonly picture?: ReactNode;
  /** 0 to 1 while uploading. */
  readonly progress?: number | undefined;
  readonly handle?: ReactNode;
  /** Where a dragged file would land, and whether this is the dragged one. */
  readonly order?:
    | {
        readonly id: string;
        readonly landing: "before" | "after" | null;
        readonly isDragged: boolean;
      }
    | undefined;
  readonly actions?: ReactNode;
};

export function FileItem(props: Props) {
  const { name, meta, error, picture, progress, handle, order, actions } = props;
  return (
    <li
      ref={props.ref}
      className={classNames(
        styles["file"],
        error !== undefined && styles["error"],
        handle !== undefined && styles["ordered"],
        order?.isDragged && styles["dragged"],
      )}
      data-file={order?.id}
      data-landing={order?.landing ?? undefined}
    >
      {handle}
      {picture === undefined ? (
        <DocIcon />
      ) : (
        <span className={styles["picture"]} aria-hidden="true">
          {picture}
        </span>
      )}
      <div className={styles["text"]}>
        <span className={styles["name"]}>{withBreaks(name)}</span>
        {meta !== undefined && <span className={styles["meta"]}>{meta}</span>}
        {error !== undefined && <span className={styles["problem"]}>{error}</span>}
        {progress !== undefined && (
          <div
            className={styles["track"]}
            role="progressbar"
            aria-label={`Envoi de ${name}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(progress * 100)}
            aria-valuetext={formatPercent(Math.round(progress * 100))}
          >
            <i style={{ width: `${progress * 100}%` }} />
          </div>
        )}
      </div>
      <div className={styles["actions"]}>{actions}</div>
    </li>
  );
}

/** A long file name may break after _ and -. */
function withBreaks(name: string): ReactNode {
  return name.split(/(?<=[_-])/u).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
