import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { classNames } from "../../lib/class-names.ts";
import { Button } from "../button/button.tsx";
import { useModal } from "../dialog/use-modal.ts";
import { Icon } from "../icon/icon.tsx";
import styles from "./drawer.module.css";

type Props = {
  readonly label: string;
  readonly side: "left" | "right";
  readonly isWide?: boolean;
  readonly heading: ReactNode;
  readonly foot?: ReactNode;
  readonly closeLabel: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** Mount it to open it. */
export function Drawer({
  label,
  side,
  isWide = false,
  heading,
  foot,
  closeLabel,
  onClose,
  children,
}: Props) {
  const modal = useModal({ onClose });
  return createPortal(
    <dialog
      {...modal}
      className={classNames(
        styles["drawer"],
        side === "right" && styles["right"],
        isWide && styles["wide"],
      )}
      aria-modal="true"
      aria-label={label}
    >
      <div className={styles["head"]}>
        <div>{heading}</div>
        <Button variant="ghost" square aria-label={closeLabel} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      {isWide ? <div className={styles["body"]}>{children}</div> : children}
      {foot && <div className={styles["foot"]}>{foot}</div>}
    </dialog>,
    document.body,
  );
}
