import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./seal.module.css";

const ICONS = { valid: "shield", waiting: "clock", failed: "warning" } as const;

/** The round sign of a verdict, decorative: the badge beside it speaks. */
export function Seal({ state }: { readonly state: "valid" | "waiting" | "failed" }) {
  return (
    <span className={classNames(styles["seal"], styles[state])} aria-hidden="true">
      <Icon name={ICONS[state]} />
    </span>
  );
}
