import { classNames } from "../../../lib/class-names.ts";
import { Button } from "../../../ui/button/button.tsx";
import styles from "./settings.module.css";

type Props = {
  readonly dirty: boolean;
  readonly saving: boolean;
  /** Something shown nearby forbids to save. */
  readonly blocked?: boolean;
  readonly onCancel: () => void;
};

/** The foot of a form: whether something is not saved, « Annuler », « Enregistrer ». */
export function SaveBar({ dirty, saving, blocked = false, onCancel }: Props) {
  return (
    <div className={classNames("card__foot", styles["save"])}>
      {/* Always there: screen readers only hear what changes inside a region they know. */}
      <span className={dirty ? styles["status"] : "sr"} role="status">
        {dirty && "Modifications non enregistrées"}
      </span>
      <Button onClick={onCancel} blocked={saving}>
        Annuler
      </Button>
      <Button type="submit" variant="primary" loading={saving} blocked={blocked}>
        Enregistrer
      </Button>
    </div>
  );
}
