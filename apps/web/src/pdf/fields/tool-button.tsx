import { Icon, type IconName } from "../../ui/icon/icon.tsx";
import styles from "../field-tools.module.css";

export const toolLook = styles.tool ?? "";

type ToolButtonProps = {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: () => void;
};

export function ToolButton({ label, icon, onPress }: ToolButtonProps) {
  return (
    <button type="button" className={toolLook} aria-label={label} title={label} onClick={onPress}>
      <Icon name={icon} size="sm" />
    </button>
  );
}
