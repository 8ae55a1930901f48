import { useId, useRef, type ReactNode, type RefObject } from "react";
import { createPortal } from "react-dom";
import { classNames } from "../../lib/class-names.ts";
import { Button } from "../button/button.tsx";
import { Icon } from "../icon/icon.tsx";
import { useModal } from "./use-modal.ts";
import styles from "./dialog.module.css";

type Props = {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly size?: "sm" | "lg" | "xl";
  /** A sheet from the bottom below 768 px. */
  readonly sheet?: boolean;
  /** Full screen on a phone: the buttons stay in sight, the middle scrolls. */
  readonly full?: boolean;
  /** On a phone in landscape: the body's panel left, the rest right. */
  readonly columns?: boolean;
  readonly role?: "dialog" | "alertdialog";
  readonly actions?: ReactNode;
  /** The foot has its own button to close. */
  readonly withoutClose?: boolean;
  readonly locked?: boolean;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children?: ReactNode;
};

/** Mount it to open it, unmount it to close it. */
export function Dialog({
  title,
  onClose,
  size = "sm",
  sheet,
  full,
  columns,
  role,
  actions,
  withoutClose,
  locked,
  initialFocus,
  children,
}: Props) {
  const id = useId();
  const body = useRef<HTMLDivElement>(null);
  const modal = useModal({ onClose, locked, initialFocus, content: body });
  return createPortal(
    <dialog
      {...modal}
      className={classNames(
        styles["dialog"],
        size !== "sm" && styles[size],
        sheet && styles["sheet"],
        full && styles["full"],
        columns && styles["columns"],
      )}
      role={role}
      aria-modal="true"
      aria-labelledby={`${id}-titre`}
      aria-describedby={role === "alertdialog" ? `${id}-texte` : undefined}
    >
      <div className={styles["head"]}>
        <h2 className="h2" id={`${id}-titre`}>
          {title}
        </h2>
        {!withoutClose && (
          <Button variant="ghost" square aria-label="Fermer" onClick={onClose}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      <div ref={body} className={styles["body"]} id={`${id}-texte`}>
        {children}
      </div>
      {Boolean(actions) && <div className={styles["foot"]}>{actions}</div>}
    </dialog>,
    document.body,
  );
}
