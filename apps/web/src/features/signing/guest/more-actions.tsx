import { buttonLook } from "../../../ui/button/button-look.ts";
import type { IconName } from "../../../ui/icon/icon-paths.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Disclosed } from "../../../ui/menu/disclosed.tsx";
import menu from "../../../ui/menu/menu.module.css";

export type MoreAction = {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: () => void;
  /** For a toggle. */
  readonly isOn?: boolean;
};

export function MoreActions({ actions }: { actions: readonly MoreAction[] }) {
  return (
    <Disclosed
      triggerClassName={buttonLook({ variant: "ghost", square: true })}
      triggerLabel="Plus d’actions"
      trigger={<Icon name="dots" />}
    >
      {(close) =>
        actions.map(({ label, icon, onPress, isOn }) => (
          <button
            key={label}
            type="button"
            className={menu["item"]}
            aria-pressed={isOn}
            onClick={() => {
              close();
              onPress();
            }}
          >
            <Icon name={isOn ? "check" : icon} />
            {label}
          </button>
        ))
      }
    </Disclosed>
  );
}
