import type { ComponentType } from "react";
import { PageLabelBar } from "../../../pdf/page-label-bar.tsx";
import type { PdfToolbarProps } from "../../../pdf/pdf-toolbar.tsx";
import { buttonLook } from "../../../ui/button/button-look.ts";
import type { IconName } from "../../../ui/icon/icon-paths.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Disclosed } from "../../../ui/menu/disclosed.tsx";
import menu from "../../../ui/menu/menu.module.css";

/** Loaded by the guest's page alone: the member's does not carry it. */
export type GuestParts = {
  readonly Menu: ComponentType<{ readonly actions: readonly MoreAction[] }>;
  readonly Bar: ComponentType<PdfToolbarProps>;
};

export const guestParts: GuestParts = { Menu: MoreActions, Bar: PageLabelBar };

type MoreAction = {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: () => void;
  /** For a toggle. */
  readonly isOn?: boolean;
};

function MoreActions({ actions }: { actions: readonly MoreAction[] }) {
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
