import { classNames } from "../../lib/class-names.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./seal.module.css";

const ICONS = {
  valid: "shield",
  waiting: "clock",
  unsure: "warning",
  failed: "warning",
  gone: "trash",
} as const;

/** Decorative. */
export function Seal({ state }: { readonly state: keyof typeof ICONS }) {
  return (
    <span className={classNames(styles["seal"], styles[state])} aria-hidden="true">
      <Icon name={ICONS[state]} />
    </span>
  );
}
