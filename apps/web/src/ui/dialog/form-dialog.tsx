import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from "react";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { Alert } from "../alert/alert.tsx";
import { Button } from "../button/button.tsx";
import { TextField } from "../field/field.tsx";
import { Dialog } from "./dialog.tsx";

type FormProps = Pick<
  ComponentProps<typeof Dialog>,
  "title" | "size" | "sheet" | "initialFocus" | "onClose"
> & {
  readonly action: string;
  readonly closing?: "Annuler" | "Fermer";
  /** Nothing closes the dialog, and the submit button spins. */
  readonly isBusy?: boolean;
  readonly isBlocked?: boolean;
  /** A refusal that belongs to no field. */
  readonly failure?: string | undefined;
  readonly onSubmit: () => void;
  readonly children?: ReactNode;
};

export function FormDialog({
  action,
  closing = "Annuler",
  isBusy,
  isBlocked,
  failure,
  onSubmit,
  children,
  ...dialog
}: FormProps) {
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy !== true) onSubmit();
  };
  return (
    <Dialog
      {...dialog}
      locked={isBusy === true}
      actions={
        <>
          <Button onClick={dialog.onClose}>{closing}</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            loading={isBusy === true}
            blocked={isBlocked === true}
          >
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" noValidate onSubmit={submit}>
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        {children}
      </form>
    </Dialog>
  );
}

type NameProps = {
  readonly title: string;
  readonly label: string;
  readonly name?: string;
  readonly maxLength: number;
  /** `required`: for an empty name; `failure`: for a refusal without a sentence. */
  readonly words: { readonly action: string; readonly required: string; readonly failure: string };
  readonly isBlocked?: boolean;
  readonly save: (name: string) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

/** A refusal is shown at the name, which stays as typed. */
export function NameDialog({
  title,
  label,
  name: before = "",
  maxLength,
  words,
  isBlocked,
  save,
  onDone,
  onClose,
  children,
}: NameProps) {
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(before);
  const [fault, setFault] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const refuse = (sentence: string) => {
    setFault(sentence);
    field.current?.focus();
  };
  const submit = async () => {
    if (name.trim() === "") return refuse(words.required);
    setIsBusy(true);
    try {
      await save(name.trim());
      onClose();
      onDone();
    } catch (error) {
      setIsBusy(false);
      const said = error instanceof ApiError ? Object.values(error.fieldErrors)[0]?.[0] : undefined;
      refuse(said ?? callMessage(error, words.failure));
    }
  };
  return (
    <FormDialog
      {...{ title, isBusy, onClose }}
      sheet
      action={words.action}
      isBlocked={isBlocked === true}
      initialFocus={field}
      onSubmit={() => void submit()}
    >
      {children}
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
    </FormDialog>
  );
}
