import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { initialsLeft } from "./field-walk.ts";
import styles from "./initials-bar.module.css";
import type { Desk } from "./use-desk.ts";

/** Absent where there is one place only. */
export function InitialsBar({
  desk,
  onApply,
}: {
  readonly desk: Desk;
  readonly onApply: () => void;
}) {
  if (desk.applied) {
    return (
      <div className={styles.bar}>
        <span>
          <Icon name="check" size="sm" /> {describeApplied(desk.applied)}
        </span>
        <LinkAction onClick={desk.undoApplied}>Annuler</LinkAction>
      </div>
    );
  }
  const left = initialsLeft(desk.own, desk.answers).length;
  const isOneOfMany = desk.own.filter((field) => field.type === "initials").length > 1;
  if (left === 0 || !isOneOfMany) return null;
  return (
    <div className={styles.bar}>
      <span>{plural(left, "paraphe à poser", "paraphes à poser")}</span>
      <Button size="sm" onClick={onApply}>
        Appliquer partout
      </Button>
    </div>
  );
}

/** « Paraphe posé à 11 endroits ». */
export function describeApplied({
  count,
  isInitials,
}: {
  readonly count: number;
  readonly isInitials: boolean;
}): string {
  return `${isInitials ? "Paraphe posé" : "Signature posée"} à ${plural(count, "endroit")}`;
}
