import type { Envelope } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { callMessage } from "../../lib/call-message.ts";
import { FormDialog } from "../../ui/dialog/form-dialog.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { useFreshDetail } from "./envelope-calls.ts";

type Props<T> = {
  readonly title: string;
  /** What the envelope has now. */
  readonly start: T;
  readonly save: (value: T) => Promise<Envelope>;
  /** What is said once it is saved. */
  readonly saved: (value: T) => string;
  /** What is said of a failure that has no words of its own. */
  readonly failed: string;
  readonly onClose: () => void;
  readonly children: (value: T, onChange: (value: T) => void) => ReactNode;
};

/** Changes one setting of an envelope that was sent: the page shows it at once; a failure is said, and keeps the choice. */
export function SettingDialog<T>({
  title,
  start,
  save,
  saved,
  failed,
  onClose,
  children,
}: Props<T>) {
  const show = useFreshDetail();
  const [value, setValue] = useState(start);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      show(await save(value));
      showToast("ok", saved(value));
      onClose();
    } catch (error) {
      setIsBusy(false);
      setFailure(callMessage(error, failed));
    }
  };
  return (
    <FormDialog
      {...{ title, isBusy, failure, onClose }}
      sheet
      action="Enregistrer"
      closing="Fermer"
      onSubmit={() => void submit()}
    >
      {children(value, setValue)}
    </FormDialog>
  );
}
