import { useId, type ComponentProps, type FormEvent, type ReactNode } from "react";
import { Alert } from "../alert/alert.tsx";
import { Button } from "../button/button.tsx";
import { Dialog } from "./dialog.tsx";

type Props = Pick<
  ComponentProps<typeof Dialog>,
  "title" | "size" | "sheet" | "initialFocus" | "onClose"
> & {
  readonly action: string;
  readonly closing?: "Annuler" | "Fermer";
  /** Nothing closes the dialog, and the submit button spins. */
  readonly isBusy?: boolean;
  /** A reason is shown. */
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
}: Props) {
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
