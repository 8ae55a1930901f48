import type { IconName } from "../../ui/icon/icon-paths.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "../field-tools.module.css";

/** How a button of the bar under a field looks; a menu's is one too. */
export const toolLook = styles.tool ?? "";

type ToolButtonProps = {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: () => void;
};

/** A button of the bar under a field. */
export function ToolButton({ label, icon, onPress }: ToolButtonProps) {
  return (
    <button type="button" className={toolLook} aria-label={label} title={label} onClick={onPress}>
      <Icon name={icon} size="sm" />
    </button>
  );
}
