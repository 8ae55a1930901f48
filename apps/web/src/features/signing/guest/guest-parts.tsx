import type { ComponentType } from "react";
import { type PdfToolbarProps, ZoomTools } from "../../../pdf/pdf-toolbar.tsx";
import { Brand } from "../../../ui/brand/brand.tsx";
import { buttonLook } from "../../../ui/button/button.tsx";
import { Icon, type IconName } from "../../../ui/icon/icon.tsx";
import { Disclosed } from "../../../ui/menu/disclosed.tsx";
import menu from "../../../ui/menu/menu.module.css";
import styles from "./guest-head.module.css";
import viewer from "../../../pdf/pdf-viewer.module.css";

/** Only the guest's page loads these parts. */
export type GuestParts = {
  readonly Menu: ComponentType<{ readonly actions: readonly MoreAction[] }>;
  readonly Bar: ComponentType<PdfToolbarProps>;
};

export const guestParts: GuestParts = { Menu: MoreActions, Bar: PageLabelBar };

type MoreAction = {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: (() => void) | null;
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
            aria-disabled={onPress === null || undefined}
            onClick={() => {
              if (onPress === null) return;
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

export function GuestHead({ title }: { title?: string | undefined }) {
  return (
    <header className={styles.head}>
      <Brand />
      {title ? (
        <>
          <b className={`ge-rail truncate ${styles.title}`}>{title}</b>
          <span className={`ge-rail ${styles.personal}`}>
            <Icon name="lock" size="sm" />
            Lien personnel, ne le transférez pas
          </span>
        </>
      ) : null}
    </header>
  );
}

function PageLabelBar({ heading, current, count, ...zoom }: PdfToolbarProps) {
  return (
    <>
      {heading === null ? null : (
        <div className={viewer.bar}>
          <div className={viewer.heading}>{heading}</div>
        </div>
      )}
      <div className={viewer.bar} data-floating role="toolbar" aria-label="Affichage du document">
        {count > 0 ? (
          <Disclosed
            triggerClassName={viewer.pill}
            trigger={<span>{`Page ${current} sur ${count}`}</span>}
          >
            {() => (
              <div className={viewer.zoomTools}>
                <ZoomTools {...zoom} />
              </div>
            )}
          </Disclosed>
        ) : null}
      </div>
    </>
  );
}
