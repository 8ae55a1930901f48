import { useEffect } from "react";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { useHeldNavigation } from "./use-held-navigation.ts";

/** `title`, `message` and the button's words where what would be lost is not a form's changes. */
type LeaveGuardProps = { readonly dirty: boolean; readonly title?: string; readonly message?: string; readonly confirmLabel?: string };

/** Asks before a page with unsaved changes is left: by a link, by the browser's Back, or by closing the tab (the browser then asks itself). */
export function LeaveGuard({ dirty, title, message, confirmLabel = "Quitter" }: LeaveGuardProps) {
  const held = useHeldNavigation(dirty);

  useEffect(() => {
    if (!dirty) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [dirty]);

  if (!held) return null;
  return (
    <ConfirmDialog
      title={title ?? "Quitter sans enregistrer\u202f?"}
      message={message ?? "Vos modifications seront perdues."}
      confirmLabel={confirmLabel}
      cancelLabel="Rester"
      tone="danger"
      onConfirm={held.leave}
      onCancel={held.stay}
    />
  );
}
