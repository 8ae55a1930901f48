import { type FormEvent, useId, useState } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { type SigningField, fieldTitle } from "./field-walk.ts";
import styles from "../mention-dialog.module.css";
import { useMention } from "./use-mention.tsx";

type MentionDialogProps = {
  readonly field: SigningField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onSave: (value: string) => void;
  readonly onClose: () => void;
};

/** Closing keeps the draft. */
export function MentionDialog({ field, value, error, onSave, onClose }: MentionDialogProps) {
  const form = useId();
  const [text, setText] = useState(value);
  const { input, ref, check } = useMention({
    field,
    text,
    error,
    onType: setText,
    label: "Votre mention",
    rows: 3,
  });
  const leave = () => {
    if (text !== value) onSave(text);
    onClose();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (check()) leave();
  };
  return (
    <Dialog
      title={fieldTitle(field)}
      sheet
      onClose={leave}
      initialFocus={ref}
      actions={
        <>
          <Button onClick={leave}>Plus tard</Button>
          <Button variant="primary" type="submit" form={form}>
            Valider
          </Button>
        </>
      }
    >
      <form id={form} className={styles.mention} onSubmit={save}>
        <p className="muted small" id={`${form}-phrase`}>
          Recopiez cette phrase, lettre par lettre{"\u00a0"}:
        </p>
        <blockquote className={styles.sentence}>{field.value}</blockquote>
        {input}
      </form>
    </Dialog>
  );
}
