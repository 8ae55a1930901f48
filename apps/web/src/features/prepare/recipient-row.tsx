import { type PointerEvent, useState } from "react";
import { classNames } from "../../lib/class-names.ts";
import { fieldColor } from "../../pdf/layer-field.ts";
import { Button } from "../../ui/button/button.tsx";
import { Checkbox } from "../../ui/checkbox/checkbox.tsx";
import { SelectField } from "../../ui/field/select-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { type DraftRecipient, isBlankRecipient, recipientErrors, recipientWarning, unprintedIn } from "./draft.ts";
import { PersonInput } from "./person-input.tsx";
import { PhoneField } from "./phone-field.tsx";
import { RecipientOrder } from "./recipient-order.tsx";
import type { RankPlace } from "./recipient-ranks.ts";
import styles from "./recipients-step.module.css";

type RecipientRowProps = {
  readonly row: DraftRecipient;
  readonly index: number;
  readonly rows: readonly DraftRecipient[];
  readonly isOrdered: boolean;
  readonly showFaults: boolean;
  /** What the service refused of this row. */
  readonly refused: { readonly fullName?: string | undefined; readonly email?: string | undefined };
  /** How a row dragged over this one would land; null while none is. */
  readonly landing: RankPlace["where"] | null;
  readonly isDragged: boolean;
  readonly onChange: (part: Partial<DraftRecipient>) => void;
  readonly onMove: (direction: "up" | "down") => void;
  readonly onTogether: () => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
  readonly onRemove: () => void;
  readonly onEnter: (() => void) | null;
  readonly onPasteList: (text: string) => void;
  readonly onLeave: () => void;
};

/** One recipient: when, who, how reached, as what. */
export function RecipientRow(props: RecipientRowProps) {
  const { row, index, rows, isOrdered, showFaults, refused, onChange, onEnter, onPasteList, onLeave } = props;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const errors = isBlankRecipient(row) && rows.length > 1 ? {} : recipientErrors(row, rows);
  const seen = (part: string) => showFaults || left.has(part);
  const leave = (part: string) => () => {
    setLeft((before) => new Set([...before, part]));
    onLeave();
  };
  const number = index + 1;
  const before = rows[index - 1];
  const common = { taken: rows, onChange, onPasteList };
  return (
    <li
      className={classNames(styles.row, `c${fieldColor(index)}`, props.isDragged && styles.dragged)}
      data-ordered={isOrdered}
      data-recipient={row.key}
      data-landing={props.landing ?? undefined}
    >
      {isOrdered ? <RecipientOrder {...{ row, rows, number }} onMove={props.onMove} onGrab={props.onGrab} /> : null}
      <PersonInput
        {...common}
        part="fullName"
        value={row.fullName}
        // A character that is never printed is wrong as soon as it is there; what is missing may still come.
        error={(seen("fullName") || unprintedIn(row) !== null ? errors.fullName : undefined) ?? refused.fullName}
        onLeave={leave("fullName")}
      />
      <PersonInput
        {...common}
        part="email"
        value={row.email}
        error={(seen("email") ? errors.email : undefined) ?? refused.email}
        warning={seen("email") ? recipientWarning(row, rows) : undefined}
        onLeave={leave("email")}
        onEnter={onEnter}
      />
      <SelectField label="Rôle" value={row.role} onChange={(event) => onChange({ role: event.target.value as DraftRecipient["role"] })}>
        <option value="signer">Signataire</option>
        <option value="approver">Approbateur</option>
        <option value="viewer">Copie</option>
      </SelectField>
      <span className={styles.remove}>
        <Button variant="ghost" square aria-label={`Retirer le destinataire ${number}`} onClick={props.onRemove}>
          <Icon name="close" />
        </Button>
      </span>
      <div className={styles.phone}>
        <Phone row={row} onChange={onChange} onLeave={onLeave} />
        {isOrdered && before ? (
          <Checkbox
            label={`En même temps que ${before.fullName.trim() || `le destinataire ${index}`}`}
            checked={row.rank === before.rank}
            onChange={props.onTogether}
          />
        ) : null}
      </div>
    </li>
  );
}

function Phone({ row, onChange, onLeave }: Pick<RecipientRowProps, "row" | "onChange" | "onLeave">) {
  const [isAsked, setIsAsked] = useState(false);
  if (row.phoneNumber === null && !isAsked)
    return <LinkAction onClick={() => setIsAsked(true)}>Ajouter un téléphone pour le code par SMS</LinkAction>;
  return (
    <PhoneField
      value={row.phoneNumber ?? ""}
      onChange={(phoneNumber) => {
        setIsAsked(true);
        onChange({ phoneNumber });
      }}
      onLeave={onLeave}
    />
  );
}
