import { classNames } from "../../lib/class-names.ts";
import { ICON_PATHS, type IconName } from "./icon-paths.ts";
import styles from "./icon.module.css";

type Props = {
  readonly name: IconName;
  readonly size?: "sm" | "md" | "lg";
  readonly className?: string | undefined;
};

/** Decorative: the text or label beside it has the name. */
export function Icon({ name, size = "md", className }: Props) {
  return (
    <svg
      className={classNames(
        styles["icon"],
        styles[size],
        (name === "dots" || name === "grip") && styles["dots"],
        className,
      )}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}
