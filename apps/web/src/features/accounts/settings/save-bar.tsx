import type { ReactNode } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { Button } from "../../../ui/button/button.tsx";
import styles from "./settings.module.css";

type Props = {
  readonly dirty: boolean;
  readonly saving: boolean;
  /** A nearby error prevents saving. */
  readonly blocked?: boolean;
  readonly reason?: string | undefined;
  /** Another form of the page has the primary button. */
  readonly isSecond?: boolean;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
};

export function SaveBar({
  dirty,
  saving,
  blocked = false,
  reason,
  isSecond = false,
  onCancel,
  children,
}: Props) {
  return (
    <div className={classNames("card__foot", styles["save"])}>
      {children}
      {/* Always present: screen readers announce changes inside a known region only. */}
      <span className={dirty ? styles["status"] : "sr"} role="status">
        {dirty && (reason ?? "Modifications non enregistrées")}
      </span>
      <Button onClick={onCancel} blocked={saving}>
        Annuler
      </Button>
      <Button
        type="submit"
        variant={isSecond ? undefined : "primary"}
        loading={saving}
        blocked={blocked}
      >
        Enregistrer
      </Button>
    </div>
  );
}
