import {
  type FieldType,
  firstUnprinted,
  unprintedSentence,
  FIELD_KINDS,
  FIELD_TYPES,
  isToCopy,
} from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { boxInPage } from "../../../../pdf/box.ts";
import { Button } from "../../../../ui/button/button.tsx";
import { Checkbox } from "../../../../ui/checkbox/checkbox.tsx";
import { SelectField, TextArea, TextField } from "../../../../ui/field/field.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { parsePercent } from "./describe-field.ts";
import { type Draft, type DraftField, type DraftRecipient, signs } from "../draft/draft.ts";
import { ARRANGEMENTS } from "./field-layout.ts";
import styles from "../field-properties.module.css";
import type { FieldEditor } from "./use-field-editor.ts";

type FieldSelectionPropertiesProps = {
  readonly editor: FieldEditor;
  readonly people: readonly DraftRecipient[];
  readonly onRemove: (keys: readonly string[]) => void;
};

/** Changes apply to all selected fields at once. */
export function FieldSelectionProperties({
  editor,
  people,
  onRemove,
}: FieldSelectionPropertiesProps) {
  const { selection } = editor;
  const keys = selection.map((field) => field.key);
  const recipientKey = commonOf(selection, (field) => field.recipientKey) ?? "";
  const type = commonOf(selection, (field) => field.type) ?? "";
  return (
    <div className={styles.properties}>
      <h2 className="h2">{`${selection.length} champs sélectionnés`}</h2>
      <PersonSelect
        label="Attribués à"
        undecided="Plusieurs personnes"
        value={recipientKey}
        people={people}
        onChange={(chosen) => editor.change(keys, { recipientKey: chosen })}
      />
      <KindSelect
        label="Type de champ"
        size="sm"
        undecided="Plusieurs types"
        value={type}
        onChange={(chosen) => editor.change(keys, { type: chosen })}
      />
      <Checkbox
        label="Champs obligatoires"
        checked={selection.every((field) => field.required)}
        onChange={(event) => editor.change(keys, { required: event.target.checked })}
      />
      <div role="group" aria-label="Aligner et répartir" className={styles.arrange}>
        {ARRANGEMENTS.map(({ how, label, icon, least }) => (
          <Button
            key={how}
            square
            aria-label={label}
            title={label}
            disabled={keys.length < least}
            onClick={() => editor.arrange(how)}
          >
            <Icon name={icon} size="sm" />
          </Button>
        ))}
      </div>
      <Button variant="dangerGhost" onClick={() => onRemove(keys)}>
        Supprimer les champs
      </Button>
    </div>
  );
}

type ChoiceProps<T extends string> = {
  readonly label: string;
  readonly value: T | "";
  /** Text of an empty value when the selected fields differ. */
  readonly undecided?: string;
  readonly onChange: (value: T) => void;
};

function PersonSelect({
  label,
  value,
  undecided,
  people,
  onChange,
}: ChoiceProps<string> & { readonly people: readonly DraftRecipient[] }) {
  return (
    <SelectField
      label={label}
      size="sm"
      value={value}
      onChange={(event) => event.target.value && onChange(event.target.value)}
    >
      {value === "" ? <option value="">{undecided}</option> : null}
      {people.map((row) => (
        <option key={row.key} value={row.key}>
          {row.fullName || row.email}
        </option>
      ))}
    </SelectField>
  );
}

export function KindSelect({
  label,
  size,
  value,
  undecided,
  onChange,
}: ChoiceProps<FieldType> & { readonly size?: "sm" }) {
  return (
    <SelectField
      label={label}
      size={size}
      value={value}
      onChange={(event) => event.target.value && onChange(event.target.value as FieldType)}
    >
      {value === "" ? <option value="">{undecided}</option> : null}
      {FIELD_TYPES.map((type) => (
        <option key={type} value={type}>
          {FIELD_KINDS[type].tool}
        </option>
      ))}
    </SelectField>
  );
}

function commonOf<T>(fields: readonly DraftField[], read: (field: DraftField) => T): T | null {
  const [first] = fields;
  return first && fields.every((field) => read(field) === read(first)) ? read(first) : null;
}

type FieldPropertiesProps = {
  readonly draft: Draft;
  readonly field: DraftField;
  readonly pageCount: number;
  readonly onChange: (part: Partial<DraftField>) => void;
  /** Text is saved when its box is left. */
  readonly onLeave: () => void;
  readonly onRemove: () => void;
};
const SIDES = [
  { name: "x", label: "Gauche" },
  { name: "y", label: "Haut" },
  { name: "width", label: "Largeur" },
  { name: "height", label: "Hauteur" },
] as const;

/** The selected field in figures: precise, and usable without a pointer. */
export function FieldProperties({
  draft,
  field,
  pageCount,
  onChange,
  onLeave,
  onRemove,
}: FieldPropertiesProps) {
  return (
    <div className={styles.properties}>
      <div className={styles.head}>
        <h2 className="h2">{FIELD_KINDS[field.type].tool}</h2>
        <span className={styles.page}>{`Page ${field.page}`}</span>
      </div>
      <PersonSelect
        label="Attribué à"
        value={field.recipientKey}
        people={draft.recipients.filter(signs)}
        onChange={(recipientKey) => onChange({ recipientKey })}
      />
      <KindSelect
        label="Type de champ"
        size="sm"
        value={field.type}
        onChange={(type) => onChange(retyped(field, type))}
      />
      {isToCopy(field) ? (
        <SentenceField
          key={field.key}
          value={field.value ?? ""}
          onChange={(value) => onChange({ value: value || null })}
          onLeave={onLeave}
        />
      ) : null}
      {FIELD_KINDS[field.type].isLabelled ? (
        <LabelField
          value={field.label ?? ""}
          onChange={(label) => onChange({ label: label || null })}
          onLeave={onLeave}
        />
      ) : null}
      <Checkbox
        label="Champ obligatoire"
        checked={field.required}
        onChange={(event) => onChange({ required: event.target.checked })}
      />
      <PlaceFields field={field} pageCount={pageCount} onChange={onChange} />
      <Button variant="dangerGhost" onClick={onRemove}>
        Supprimer le champ
      </Button>
    </div>
  );
}

function PlaceFields({
  field,
  pageCount,
  onChange,
}: Pick<FieldPropertiesProps, "field" | "pageCount" | "onChange">) {
  const { x, y, width, height } = field;
  return (
    <>
      <fieldset>
        <legend className={styles.legend}>Position, en % de la page</legend>
        <div className={styles.figures}>
          {SIDES.map((side) => (
            <PercentField
              key={side.name}
              label={side.label}
              value={field[side.name]}
              onChange={(value) => onChange(boxInPage({ x, y, width, height, [side.name]: value }))}
            />
          ))}
        </div>
      </fieldset>
      {pageCount > 1 ? (
        <SelectField
          label="Page"
          size="sm"
          value={field.page}
          onChange={(event) => onChange({ page: Number(event.target.value) })}
        >
          {Array.from({ length: pageCount }, (_, index) => (
            <option key={index + 1}>{index + 1}</option>
          ))}
        </SelectField>
      ) : null}
    </>
  );
}

/** A sentence to copy means nothing in another kind of field. */
function retyped(field: DraftField, type: FieldType): Partial<DraftField> {
  return isToCopy(field) ? { type, value: null } : { type };
}

type TypedProps = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
};

/** Passes the text on trimmed, while the box shows the trailing space. */
function useTyped({ value, onChange }: Pick<TypedProps, "value" | "onChange">) {
  const [text, setText] = useState(value);
  useEffect(() => setText((typed) => (typed.trim() === value.trim() ? typed : value)), [value]);
  const type = (typed: string) => {
    setText(typed);
    if (typed.trim() !== value) onChange(typed.trim());
  };
  return { text, type };
}

/** Shown while typing, because fields with such text are not saved. */
function unprintedFault(text: string): string | undefined {
  const character = firstUnprinted(text);
  return character === null
    ? undefined
    : `${unprintedSentence(character)} Les champs ne sont pas enregistrés.`;
}

function SentenceField({ value, onChange, onLeave }: TypedProps) {
  const { text, type } = useTyped({ value, onChange });
  const [isLeft, setIsLeft] = useState(false);
  return (
    <TextArea
      label="Phrase à recopier"
      help="Le signataire la recopiera lettre par lettre."
      rows={4}
      maxLength={2000}
      required
      value={text}
      error={
        unprintedFault(text) ??
        (isLeft && text.trim() === ""
          ? "Écrivez la phrase que le signataire recopiera."
          : undefined)
      }
      onChange={(event) => type(event.target.value)}
      onBlur={() => {
        setIsLeft(true);
        onLeave();
      }}
    />
  );
}

function LabelField({ value, onChange, onLeave }: TypedProps) {
  const { text, type } = useTyped({ value, onChange });
  return (
    <TextField
      label="Libellé"
      optional
      size="sm"
      maxLength={200}
      value={text}
      error={unprintedFault(text)}
      onChange={(event) => type(event.target.value)}
      onBlur={onLeave}
    />
  );
}

/** « 9,5 » must not become « 9 » while it is typed. */
function PercentField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number;
  onChange: (value: number) => void;
}) {
  const shown = (value * 100).toFixed(1).replace(".", ",");
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const parsed = parsePercent(text);
  const commit = () => {
    if (parsed === null || text === shown) setText(shown);
    else onChange(parsed);
  };
  return (
    <TextField
      label={label}
      size="sm"
      inputMode="decimal"
      value={text}
      error={parsed === null ? "0 à 100" : undefined}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault();
        onChange(
          Math.max(0, value + (event.key === "ArrowUp" ? 1 : -1) * (event.altKey ? 0.001 : 0.01)),
        );
      }}
    />
  );
}
