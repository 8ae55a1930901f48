import { type ReactNode, useState } from "react";
import { serverSentence } from "../../lib/api/api-error.ts";
import { focusOnceDrawn } from "../focus/preserve-focus.ts";
import { showToast } from "../toast/toast-store.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

type Props = {
  readonly title: ReactNode;
  readonly message: ReactNode;
  readonly secondary?: ReactNode;
  readonly remove: () => Promise<unknown>;
  /** Reloads the list without the entry. */
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
}: Props) {
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
