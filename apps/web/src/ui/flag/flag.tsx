import { Icon, type IconName } from "../icon/icon.tsx";
import styles from "./flag.module.css";

export function Flag({
  icon = "warning",
  words,
}: {
  readonly icon?: IconName;
  readonly words: string;
}) {
  return (
    <span className={styles["flag"]}>
      <Icon name={icon} size="sm" /> {words}
    </span>
  );
}
