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
