import { useDelayed } from "../../lib/use-delayed.ts";
import styles from "./skeleton.module.css";

type Props = { readonly width: string | number; readonly height?: number };

/** Hidden from screen readers. */
export function Skeleton({ width, height = 12 }: Props) {
  return (
    <span
      className={styles["skeleton"]}
      style={{ width, height, maxWidth: "100%" }}
      aria-hidden="true"
    />
  );
}

type SkeletonRowsProps = {
  readonly rows: number;
  /** For screen readers. */
  readonly label: string;
};

export function SkeletonRows({ rows, label }: SkeletonRowsProps) {
  return (
    <div aria-busy="true">
      <span className="sr" role="status">
        {label}
      </span>
      {Array.from({ length: rows }, (_, index) => (
        <div className={styles["row"]} key={index}>
          <Skeleton width={32} height={38} />
          <div className={styles["text"]}>
            <Skeleton width="70%" />
            <Skeleton width="40%" height={10} />
          </div>
          <Skeleton width={90} height={22} />
          <Skeleton width={110} />
          <Skeleton width={70} />
        </div>
      ))}
    </div>
  );
}

/** Shown after 300 ms, so that a fast page shows nothing. */
export function FullLoader({ label = "Chargement…" }: { readonly label?: string }) {
  const shown = useDelayed(true, 300);
  return (
    <div className={styles["loader"]} aria-busy="true">
      {shown && (
        <>
          <span className={styles["spin"]} aria-hidden="true" />
          <span role="status">{label}</span>
        </>
      )}
    </div>
  );
}
