import { memo, type PointerEvent, useState } from "react";
import { classNames } from "../../../lib/class-names.ts";
import { useServiceRules } from "../../../lib/service-rules.ts";
import { fieldColor } from "../../../pdf/layer-field.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { SelectField } from "../../../ui/field/select-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { type DraftRecipient, unprintedIn } from "./draft.ts";
import { PersonInput } from "./person-input.tsx";
import { PhoneField } from "./phone-field.tsx";
import { RecipientOrder } from "./recipient-order.tsx";
import type { RankPlace } from "./recipient-ranks.ts";
import styles from "./recipients-step.module.css";
import type { RowRefusals } from "./refusals.ts";
import steps from "./step.module.css";

/** What is done to a row; the same object for the life of the list. */
export type RowActions = {
  readonly rows: () => readonly DraftRecipient[];
  readonly change: (key: string, part: Partial<DraftRecipient>) => void;
  readonly move: (key: string, direction: "up" | "down") => void;
  readonly together: (key: string) => void;
  readonly grab: (key: string, event: PointerEvent<HTMLElement>) => void;
  readonly remove: (key: string) => void;
  /** Enter, in the last row. */
  readonly add: () => void;
  readonly pasteList: (text: string) => void;
  readonly leave: () => void;
};
/** What a row shows, none of which changes when another row is typed in. */
type RecipientRowProps = {
  readonly row: DraftRecipient;
  readonly index: number;
  readonly isLast: boolean;
  readonly isOrdered: boolean;
  readonly canRise: boolean;
  readonly canSink: boolean;
  /** Who the row before is, where there is an order; null in the first. */
  readonly before: string | null;
  readonly isTogether: boolean;
  readonly showFaults: boolean;
  readonly nameError: string | undefined;
  readonly emailError: string | undefined;
  readonly emailWarning: string | undefined;
  readonly refused: RowRefusals;
  /** How a row dragged over this one would land; null while none is. */
  readonly landing: RankPlace["where"] | null;
  readonly isDragged: boolean;
  readonly actions: RowActions;
};

/** One recipient: when, who, how reached, as what. Drawn anew for what changes in it alone: a list has up to a hundred. */
export const RecipientRow = memo(function RecipientRow(props: RecipientRowProps) {
  const { row, index, isOrdered, showFaults, refused, actions } = props;
  const { key } = row;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const seen = (part: string) => showFaults || left.has(part);
  const leave = (part: string) => () => {
    setLeft((before) => new Set([...before, part]));
    actions.leave();
  };
  const number = index + 1;
  const onChange = (part: Partial<DraftRecipient>) => actions.change(key, part);
  const common = { taken: actions.rows, onChange, onPasteList: actions.pasteList };
  return (
    <li
      className={classNames(styles.row, `c${fieldColor(index)}`, props.isDragged && styles.dragged)}
      data-ordered={isOrdered}
      data-recipient={key}
      data-landing={props.landing ?? undefined}
    >
      {isOrdered ? (
        <RecipientOrder
          {...{ number }}
          rank={row.rank}
          canRise={props.canRise}
          canSink={props.canSink}
          onMove={(direction) => actions.move(key, direction)}
          onGrab={(event) => actions.grab(key, event)}
        />
      ) : null}
      <PersonInput
        {...common}
        part="fullName"
        value={row.fullName}
        // A character that is never printed is wrong as soon as it is there; what is missing may still come.
        error={(seen("fullName") || unprintedIn(row) !== null ? props.nameError : undefined) ?? refused.fullName}
        onLeave={leave("fullName")}
      />
      <PersonInput
        {...common}
        part="email"
        value={row.email}
        error={(seen("email") ? props.emailError : undefined) ?? refused.email}
        warning={seen("email") ? props.emailWarning : undefined}
        onLeave={leave("email")}
        onEnter={props.isLast ? actions.add : null}
      />
      <RoleSelect role={row.role} refused={refused.role} onRole={(role) => onChange({ role })} />
      <span className={styles.remove}>
        <Button variant="ghost" square aria-label={`Retirer le destinataire ${number}`} onClick={() => actions.remove(key)}>
          <Icon name="close" />
        </Button>
      </span>
      <RowFoot {...props} onChange={onChange} />
    </li>
  );
});

type Role = DraftRecipient["role"];
type RoleSelectProps = { readonly role: Role; readonly refused: string | undefined; readonly onRole: (role: Role) => void };

function RoleSelect({ role, refused, onRole }: RoleSelectProps) {
  return (
    <SelectField label="Rôle" value={role} error={refused} onChange={(event) => onRole(event.target.value as Role)}>
      <option value="signer">Signataire</option>
      <option value="approver">Approbateur</option>
      <option value="viewer">Copie</option>
    </SelectField>
  );
}

/** Under the row: how else one is reached, with whom one signs, and what was refused of its rank. */
function RowFoot(props: RecipientRowProps & { readonly onChange: (part: Partial<DraftRecipient>) => void }) {
  const { row, before, refused, actions } = props;
  return (
    <div className={styles.phone}>
      <Phone row={row} refused={refused.phoneNumber} onChange={props.onChange} onLeave={actions.leave} />
      {before === null ? null : (
        <Checkbox label={`En même temps que ${before}`} checked={props.isTogether} onChange={() => actions.together(row.key)} />
      )}
      {refused.rank === undefined ? null : (
        <p className={classNames(steps.error, styles.fault)} role="alert" tabIndex={-1} data-fault>
          <Icon name="alert" size="sm" />
          {`Rang ${row.rank}\u00a0: ${refused.rank}`}
        </p>
      )}
    </div>
  );
}

type PhoneProps = {
  readonly row: DraftRecipient;
  readonly refused: string | undefined;
  readonly onChange: (part: Partial<DraftRecipient>) => void;
  readonly onLeave: () => void;
};

function Phone({ row, refused, onChange, onLeave }: PhoneProps) {
  const [isAsked, setIsAsked] = useState(false);
  const { sms } = useServiceRules();
  const isShown = row.phoneNumber !== null || isAsked || refused !== undefined;
  if (!isShown && !sms) return null;
  if (!isShown) return <LinkAction onClick={() => setIsAsked(true)}>Ajouter un téléphone pour le code par SMS</LinkAction>;
  return (
    <PhoneField
      value={row.phoneNumber ?? ""}
      refused={refused}
      onChange={(phoneNumber) => {
        setIsAsked(true);
        onChange({ phoneNumber });
      }}
      onLeave={onLeave}
    />
  );
}
