import { type Envelope, phoneOf } from "@paraphe/contracts";
import {
  type PointerEvent,
  type RefObject,
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { classNames } from "../../../../lib/class-names.ts";
import { useServiceRules } from "../../../../lib/api/service-rules.ts";
import { fieldColor } from "../../../../pdf/fields/layer-field.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { Checkbox } from "../../../../ui/checkbox/checkbox.tsx";
import { SelectField, TextField } from "../../../../ui/field/field.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import { isFixedBy } from "../../recipient-state.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import {
  type DraftRecipient,
  isBlankRecipient,
  recipientErrors,
  recipientWarning,
  unprintedIn,
} from "../draft/draft.ts";
import { ROLE_LABELS } from "./parse-people.ts";
import { PersonInput } from "./person-input.tsx";
import {
  type RankPlace,
  rankGroups,
  thanName,
  type useRecipientList,
} from "./use-recipient-list.ts";
import styles from "../recipients-step.module.css";
import { type Refusals, type RowRefusals, rowRefusals } from "../draft/refusals.ts";
import steps from "../step.module.css";
import { useRowDrag } from "../use-row-drag.ts";

type RecipientOrderProps = {
  readonly rank: number;
  readonly number: number;
  readonly canRise: boolean;
  readonly canSink: boolean;
  readonly onMove: (direction: "up" | "down") => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
};

/** The rank, with buttons and a handle; the handle also takes arrow keys. */
function RecipientOrder({ rank, number, canRise, canSink, onMove, onGrab }: RecipientOrderProps) {
  return (
    <span className={styles.rank}>
      <Button
        variant="ghost"
        size="sm"
        square
        aria-label={`Monter le destinataire ${number}`}
        disabled={!canRise}
        onClick={() => onMove("up")}
      >
        <Icon name="chevron-up" size="sm" />
      </Button>
      <Rank rank={rank} />
      <Button
        variant="ghost"
        size="sm"
        square
        aria-label={`Descendre le destinataire ${number}`}
        disabled={!canSink}
        onClick={() => onMove("down")}
      >
        <Icon name="chevron-down" size="sm" />
      </Button>
      <button
        type="button"
        className={styles.handle}
        aria-label={`Déplacer le destinataire ${number}`}
        title="Glissez, ou appuyez sur les flèches"
        onPointerDown={onGrab}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          onMove(event.key === "ArrowUp" ? "up" : "down");
        }}
      >
        <Icon name="grip" />
      </button>
    </span>
  );
}

type PhoneFieldProps = {
  readonly value: string;
  readonly refused: string | undefined;
  readonly onChange: (value: string | null) => void;
  readonly onLeave: () => void;
};

/** Saved when the box is left: half a number would have the whole list refused. */
function PhoneField({ value, refused, onChange, onLeave }: PhoneFieldProps) {
  const [text, setText] = useState(value);
  const own = phoneOf(text);
  const known = useRef(value);
  // A chosen person's number replaces the typed one.
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    if (own !== value) setText(value);
  }, [value, own]);
  return (
    <TextField
      label="Téléphone"
      optional
      type="tel"
      autoComplete="off"
      size="sm"
      value={text}
      help="Si le lien part par SMS, le code part par email : un numéro seul ne confirme personne."
      error={own === null ? "Téléphone invalide" : refused}
      onChange={(event) => {
        setText(event.target.value);
        const next = phoneOf(event.target.value);
        if (next !== null) onChange(next === "" ? null : next);
      }}
      onBlur={onLeave}
    />
  );
}

/** A row's edges mean before or after its rank, its middle the same rank. */
function useRankDrag(onDrop: (key: string, place: RankPlace) => void) {
  return useRowDrag<RankPlace>({ placeAt, onDrop });
}

function placeAt(y: number, dragged: string): RankPlace | null {
  for (const row of document.querySelectorAll<HTMLElement>("[data-recipient]")) {
    const { top, bottom, height } = row.getBoundingClientRect();
    const key = row.dataset["recipient"] ?? "";
    if (y < top || y > bottom || key === dragged) continue;
    const at = (y - top) / height;
    return { key, where: at < 0.3 ? "before" : at > 0.7 ? "after" : "with" };
  }
  return null;
}

/** One object for the life of the list, so that unchanged rows are not drawn again. */
type RowActions = {
  readonly rows: () => readonly DraftRecipient[];
  readonly change: (key: string, part: Partial<DraftRecipient>) => void;
  readonly move: (key: string, direction: "up" | "down") => void;
  readonly together: (key: string) => void;
  readonly grab: (key: string, event: PointerEvent<HTMLElement>) => void;
  readonly remove: (key: string) => void;
  readonly add: () => void;
  readonly pasteList: (text: string) => void;
  readonly leave: () => void;
};
/** None of these props changes when another row is typed in. */
type RecipientRowProps = {
  readonly row: DraftRecipient;
  readonly index: number;
  readonly isLast: boolean;
  readonly isOrdered: boolean;
  readonly isPlaced: boolean;
  readonly canRise: boolean;
  readonly canSink: boolean;
  /** The row before, in an ordered flow. */
  readonly before: string | null;
  readonly isTogether: boolean;
  readonly showFaults: boolean;
  readonly nameError: string | undefined;
  readonly emailError: string | undefined;
  readonly emailWarning: string | undefined;
  readonly refused: RowRefusals;
  readonly landing: RankPlace["where"] | null;
  readonly isDragged: boolean;
  readonly actions: RowActions;
};

/** Memoised: a list has up to a hundred rows. */
const RecipientRow = memo(function RecipientRow(props: RecipientRowProps) {
  const { row, index, isOrdered, isPlaced, showFaults, refused, actions } = props;
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
      data-ordered={isOrdered || isPlaced}
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
      {isPlaced ? <Rank rank={row.rank} className={styles.rank} /> : null}
      <PersonInput
        {...common}
        part="fullName"
        value={row.fullName}
        // An unprintable character is wrong at once; missing text may still come.
        error={
          (seen("fullName") || unprintedIn(row) !== null ? props.nameError : undefined) ??
          refused.fullName
        }
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
      <RoleSelect
        {...{ isPlaced }}
        role={row.role}
        refused={refused.role}
        onRole={(role) => onChange({ role })}
      />
      <RemoveButton number={number} onRemove={() => actions.remove(key)} />
      <RowFoot {...props} onChange={onChange} />
    </li>
  );
});

function RemoveButton({ number, onRemove }: { number: number; onRemove: () => void }) {
  return (
    <span className={styles.remove}>
      <Button
        variant="ghost"
        square
        aria-label={`Retirer le destinataire ${number}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </Button>
    </span>
  );
}

type Role = DraftRecipient["role"];
type RoleSelectProps = Pick<RecipientRowProps, "isPlaced"> & {
  readonly role: Role;
  readonly refused: string | undefined;
  readonly onRole: (role: Role) => void;
};

function RoleSelect({ isPlaced, role: chosen, refused, onRole }: RoleSelectProps) {
  if (isPlaced)
    return (
      <p className={classNames("muted small", styles.role)}>
        {`${ROLE_LABELS[chosen]} · Rôle fixé par le circuit`}
      </p>
    );
  return (
    <SelectField
      label="Rôle"
      value={chosen}
      error={refused}
      onChange={(event) => onRole(event.target.value as Role)}
    >
      {Object.entries(ROLE_LABELS).map(([role, label]) => (
        <option key={role} value={role}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}

function RowFoot(
  props: RecipientRowProps & { readonly onChange: (part: Partial<DraftRecipient>) => void },
) {
  const { row, before, refused, actions } = props;
  return (
    <div className={styles.phone}>
      <Phone
        row={row}
        refused={refused.phoneNumber}
        onChange={props.onChange}
        onLeave={actions.leave}
      />
      {before === null ? null : (
        <Checkbox
          label={`En même temps ${thanName(before)}`}
          checked={props.isTogether}
          onChange={() => actions.together(row.key)}
        />
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
  if (!isShown)
    return (
      <LinkAction onClick={() => setIsAsked(true)}>
        Ajouter un téléphone pour le code par SMS
      </LinkAction>
    );
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

type RecipientRowsProps = {
  readonly list: RefObject<HTMLOListElement | null>;
  readonly rows: readonly DraftRecipient[];
  readonly keeper: DraftKeeper;
  readonly people: ReturnType<typeof useRecipientList>;
  readonly refused: Refusals;
  readonly isOrdered: boolean;
  readonly imposed: Pick<Envelope, "circuit" | "recipients"> | null;
  readonly showFaults: boolean;
  readonly add: () => void;
  readonly onPasteList: (text: string) => void;
};

export function RecipientRows({
  list,
  rows,
  keeper,
  people,
  refused,
  isOrdered,
  imposed,
  showFaults,
  add,
  onPasteList,
}: RecipientRowsProps) {
  const { drag, grab } = useRankDrag(people.place);
  const leave = useCallback(() => void keeper.flush(), [keeper]);
  const actions: RowActions = useMemo(
    () => ({ ...people, grab, add, leave, pasteList: onPasteList }),
    [people, grab, add, leave, onPasteList],
  );
  const groups = isOrdered ? rankGroups(rows) : [];
  const [first, last] = [groups[0], groups.at(-1)];
  return (
    <ol className={styles.rows} ref={list}>
      {rows.map((row, index) => {
        const before = rows[index - 1];
        if (imposed?.circuit && isFixedBy(imposed.circuit, { ...row, order: row.rank })) {
          const there = imposed.recipients.find(({ id }) => id === row.id);
          return <FixedRow key={row.key} {...{ row, index }} givenBy={there?.given_by} />;
        }
        const errors = isBlankRecipient(row) && rows.length > 1 ? {} : recipientErrors(row, rows);
        return (
          <RecipientRow
            key={row.key}
            {...{ row, index, isOrdered, showFaults, actions }}
            isPlaced={imposed !== null}
            isLast={index === rows.length - 1}
            canRise={!isAlone(first, row)}
            canSink={!isAlone(last, row)}
            before={
              isOrdered && before ? before.fullName.trim() || `le destinataire ${index}` : null
            }
            isTogether={isOrdered && row.rank === before?.rank}
            nameError={errors.fullName}
            emailError={errors.email}
            emailWarning={recipientWarning(row, rows)}
            refused={rowRefusals(refused, row, rows)}
            landing={drag?.place?.key === row.key ? drag.place.where : null}
            isDragged={drag?.key === row.key}
          />
        );
      })}
    </ol>
  );
}

type RankProps = Pick<DraftRecipient, "rank"> & { readonly className?: string | undefined };

function Rank({ rank, className }: RankProps) {
  return (
    <span className={classNames(styles.number, className)}>
      <span className="sr">Rang </span>
      {rank}
    </span>
  );
}

type FixedProps = {
  readonly row: DraftRecipient;
  readonly index: number;
  readonly givenBy: string | undefined;
};

/** A row of a circuit that the organisation imposes. */
function FixedRow({ row, index, givenBy }: FixedProps) {
  const why = givenBy === undefined ? "Fixé par le circuit" : `Étape confiée par ${givenBy}`;
  return (
    <li className={classNames(styles.fixed, `c${fieldColor(index)}`)} data-recipient={row.key}>
      <Rank rank={row.rank} />
      <div>
        <b>{row.fullName}</b>
        <p className="muted small">{`${row.email} · ${ROLE_LABELS[row.role]} · ${why}`}</p>
      </div>
    </li>
  );
}

function isAlone(group: readonly DraftRecipient[] | undefined, row: DraftRecipient): boolean {
  return group?.length === 1 && group[0] === row;
}
