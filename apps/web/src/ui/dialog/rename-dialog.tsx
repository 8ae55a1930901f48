import { type FormEvent, useId, useRef, useState } from "react";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { Button } from "../button/button.tsx";
import { TextField } from "../field/text-field.tsx";
import { Dialog } from "./dialog.tsx";

type Props = {
  readonly title: string;
  readonly label: string;
  readonly name: string;
  readonly maxLength: number;
  /** What is said of an empty name, and of a refusal that has no words of its own. */
  readonly words: { readonly required: string; readonly failure: string };
  readonly rename: (name: string) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Gives something another name. A refusal is said at the name, which stays as it was typed. */
export function RenameDialog({ title, label, name: before, maxLength, words, rename, onDone, onClose }: Props) {
  const form = useId();
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(before);
  const [fault, setFault] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const refuse = (sentence: string) => {
    setFault(sentence);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (name.trim() === "") return refuse(words.required);
    setIsBusy(true);
    try {
      await rename(name.trim());
      onClose();
      onDone();
    } catch (error) {
      setIsBusy(false);
      const said = error instanceof ApiError ? Object.values(error.fieldErrors)[0]?.[0] : undefined;
      refuse(said ?? callMessage(error, words.failure));
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      initialFocus={field}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form} loading={isBusy}>
            Renommer
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          ref={field}
          label={label}
          required
          maxLength={maxLength}
          value={name}
          error={fault}
          onChange={(event) => {
            setName(event.target.value);
            setFault(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}
