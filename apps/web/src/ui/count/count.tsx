import { classNames } from "../../lib/class-names.ts";
import styles from "./count.module.css";

type Props = {
  readonly value: number;
  readonly red?: boolean;
  readonly className?: string | undefined;
};

/** Nothing at 0. */
export function Count({ value, red = false, className }: Props) {
  if (value <= 0) return null;
  return (
    <span className={classNames(styles["count"], red && styles["red"], className)}>
      <span aria-hidden="true">{value > 99 ? "99+" : value}</span>
      <span className="sr">{`${value} en attente`}</span>
    </span>
  );
}
