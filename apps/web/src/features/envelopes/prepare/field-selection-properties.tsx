import type { FieldType } from "@paraphe/contracts";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { SelectField } from "../../../ui/field/select-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { DraftField, DraftRecipient } from "./draft.ts";
import { ARRANGEMENTS } from "./field-arrangements.ts";
import { FIELD_KINDS } from "./field-kinds.ts";
import styles from "./field-properties.module.css";
import type { FieldEditor } from "./use-field-editor.ts";

type FieldSelectionPropertiesProps = {
  readonly editor: FieldEditor;
  readonly people: readonly DraftRecipient[];
  readonly onRemove: (keys: readonly string[]) => void;
};

/** What several fields have in common, changed for all of them at once. */
export function FieldSelectionProperties({ editor, people, onRemove }: FieldSelectionPropertiesProps) {
  const { selection } = editor;
  const keys = selection.map((field) => field.key);
  const recipientKey = commonOf(selection, (field) => field.recipientKey) ?? "";
  const type = commonOf(selection, (field) => field.type) ?? "";
  return (
    <div className={styles.properties}>
      <h2 className="h2">{`${selection.length} champs sélectionnés`}</h2>
      <SelectField
        label="Attribués à"
        size="sm"
        value={recipientKey}
        onChange={(event) => event.target.value && editor.change(keys, { recipientKey: event.target.value })}
      >
        {recipientKey === "" ? <option value="">Plusieurs personnes</option> : null}
        {people.map((row) => (
          <option key={row.key} value={row.key}>
            {row.fullName || row.email}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Type de champ"
        size="sm"
        value={type}
        onChange={(event) => event.target.value && editor.change(keys, { type: event.target.value as FieldType })}
      >
        {type === "" ? <option value="">Plusieurs types</option> : null}
        {FIELD_KINDS.map((kind) => (
          <option key={kind.type} value={kind.type}>
            {kind.tool}
          </option>
        ))}
      </SelectField>
      <Checkbox
        label="Champs obligatoires"
        checked={selection.every((field) => field.required)}
        onChange={(event) => editor.change(keys, { required: event.target.checked })}
      />
      <div role="group" aria-label="Aligner et répartir" className={styles.arrange}>
        {ARRANGEMENTS.map(({ how, label, icon, least }) => (
          <Button key={how} square aria-label={label} title={label} disabled={keys.length < least} onClick={() => editor.arrange(how)}>
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

function commonOf<T>(fields: readonly DraftField[], read: (field: DraftField) => T): T | null {
  const [first] = fields;
  return first && fields.every((field) => read(field) === read(first)) ? read(first) : null;
}
