import { type ReactNode, useState } from "react";
import { serverSentence } from "../../lib/call-message.ts";
import { focusOnceDrawn } from "../focus/keep-focus.ts";
import { showToast } from "../toast/toast-store.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

type Props = {
  readonly title: ReactNode;
  readonly message: ReactNode;
  readonly secondary?: ReactNode;
  readonly remove: () => Promise<unknown>;
  /** Reads the list again; what was deleted is gone from the page after it. */
  readonly onDone: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What takes the focus in the place of the entry that is gone; the page's heading when it is not there. */
  readonly heir?: string | null;
};

/** Asks before an entry of a page goes for good; its heir, else the page's heading, then takes the focus, since the entry's own place is gone. */
export function DeleteDialog({
  title,
  message,
  secondary,
  remove,
  onDone,
  onClose,
  heir = null,
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
        (heir === null ? null : document.querySelector<HTMLElement>(heir)) ??
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
