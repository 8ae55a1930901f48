import { type ReactNode, useRef, useState } from "react";
import { serverSentence } from "../../lib/api/api-error.ts";
import { Button } from "../button/button.tsx";
import { focusOnceDrawn } from "../focus/preserve-focus.ts";
import { showToast } from "../toast/toast-store.ts";
import { Dialog } from "./dialog.tsx";

type ConfirmProps = {
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
export function ConfirmDialog(props: ConfirmProps) {
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

type DeleteProps = {
  readonly title: ReactNode;
  readonly message: ReactNode;
  readonly secondary?: ReactNode;
  readonly remove: () => Promise<unknown>;
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Takes the focus instead of the deleted entry; the page's heading when absent. */
  readonly focusAfter?: string | null;
};

export function DeleteDialog({
  title,
  message,
  secondary,
  remove,
  onDone,
  onClose,
  focusAfter = null,
}: DeleteProps) {
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async () => {
    setIsBusy(true);
    try {
      await remove();
    } catch (error) {
      onClose();
      showToast("err", "Échec de la suppression", { detail: serverSentence(error) });
      return;
    }
    onClose();
    await onDone();
    focusOnceDrawn(
      () =>
        (focusAfter === null ? null : document.querySelector<HTMLElement>(focusAfter)) ??
        document.querySelector<HTMLElement>("main h1"),
    );
  };
  return (
    <ConfirmDialog
      {...{ title, message, secondary }}
      confirmLabel="Supprimer"
      tone="danger"
      busy={isBusy}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    />
  );
}
