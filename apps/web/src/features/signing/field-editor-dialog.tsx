import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { TextArea } from "../../ui/field/field.tsx";
import { fieldTitle, type SigningField } from "./field-walk.ts";
import { keyboardFor } from "./keyboard-for.ts";

type FieldEditorDialogProps = {
  readonly field: SigningField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onSave: (value: string) => void;
  readonly onClose: () => void;
};

/** Types a field's text at a readable size: on a phone the place on the page is far too small to write in. */
export function FieldEditorDialog({
  field,
  value,
  error,
  onSave,
  onClose,
}: FieldEditorDialogProps) {
  const form = useId();
  const [text, setText] = useState(value);
  const input = useRef<HTMLTextAreaElement>(null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onSave(text);
    onClose();
  };
  const common = {
    label: fieldTitle(field),
    value: text,
    error,
    ref: input,
    optional: !field.required,
    required: field.required,
  };
  return (
    <Dialog
      title={fieldTitle(field)}
      sheet
      onClose={onClose}
      initialFocus={input}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form}>
            Valider
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={save}>
        <TextArea
          {...common}
          inputMode={keyboardFor(field.label ?? "")}
          rows={field.height > 0.06 ? 4 : 2}
          maxLength={2000}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
