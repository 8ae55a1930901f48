import { useRef, type ReactNode } from "react";
import { Button } from "../button/button.tsx";
import { Dialog } from "./dialog.tsx";

type Props = {
  readonly title: ReactNode;
  readonly message: ReactNode;
  readonly secondary?: ReactNode;
  readonly confirmLabel?: string;
  readonly cancelLabel?: string;
  readonly tone?: "default" | "danger";
  /** The button spins and Escape does nothing. */
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
};

/** A dangerous question starts on the button that cancels. */
export function ConfirmDialog(props: Props) {
  const {
    title,
    message,
    secondary,
    confirmLabel = "Confirmer",
    cancelLabel = "Annuler",
    tone = "default",
    busy = false,
    onConfirm,
    onCancel,
  } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const confirm = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      title={title}
      role="alertdialog"
      withoutClose
      locked={busy}
      onClose={onCancel}
      initialFocus={tone === "danger" ? cancel : confirm}
      actions={
        <>
          <Button ref={cancel} onClick={onCancel} blocked={busy}>
            {cancelLabel}
          </Button>
          <Button
            ref={confirm}
            variant={tone === "danger" ? "danger" : "primary"}
            loading={busy}
            onClick={onConfirm}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <p>{message}</p>
      {secondary !== undefined && <p className="muted">{secondary}</p>}
    </Dialog>
  );
}
