import type { Envelope } from "@paraphe/contracts";
import { type ReactNode, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { Radio } from "../../../ui/checkbox/checkbox.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { envelopeCalls, useFreshDetail } from "../envelope-calls.ts";
import { ReminderSelect } from "../prepare/documents/reminder-select.tsx";
import { PUBLIC_PAGE } from "../prepare/sending/public-page-words.ts";

type Props<T> = {
  readonly title: string;
  readonly start: T;
  readonly save: (value: T) => Promise<Envelope>;
  readonly saved: (value: T) => string;
  /** The sentence of a failure that has none of its own. */
  readonly failed: string;
  readonly onClose: () => void;
  readonly children: (value: T, onChange: (value: T) => void) => ReactNode;
};

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

type PublicPageProps = { readonly envelope: Envelope; readonly onClose: () => void };

const CHOICES = [
  { value: false, ...PUBLIC_PAGE.visible },
  { value: true, ...PUBLIC_PAGE.proofOnly },
] as const;

export function PublicPageDialog({ envelope, onClose }: PublicPageProps) {
  return (
    <SettingDialog
      title="Page publique"
      start={envelope.proof_only ?? false}
      save={(proofOnly) => envelopeCalls.changePublicPage(envelope.id, proofOnly)}
      saved={(proofOnly) =>
        proofOnly
          ? "La page publique ne montre que la preuve"
          : "La page publique montre le document"
      }
      failed="La page publique n’a pas été changée. Réessayez."
      onClose={onClose}
    >
      {(proofOnly, onChange) => (
        <fieldset className="stack stack--sm">
          <legend className="h3">Ce que montre le QR code</legend>
          {CHOICES.map(({ value, label, words }) => (
            <Radio
              key={label}
              name="public-page"
              value={String(value)}
              checked={proofOnly === value}
              onChange={() => onChange(value)}
              label={
                <>
                  {label}
                  <br />
                  <span className="muted small">{words}</span>
                </>
              }
            />
          ))}
        </fieldset>
      )}
    </SettingDialog>
  );
}

type RemindersProps = { readonly envelope: Envelope; readonly onClose: () => void };

export function RemindersDialog({ envelope, onClose }: RemindersProps) {
  return (
    <SettingDialog
      title="Modifier les rappels"
      start={envelope.reminders?.every_days ?? null}
      save={(days) => envelopeCalls.changeReminders(envelope.id, days)}
      saved={(days) =>
        days === null ? "Rappels automatiques arrêtés" : "Rappels automatiques enregistrés"
      }
      failed="Les rappels n’ont pas été changés. Réessayez."
      onClose={onClose}
    >
      {(days, onChange) => <ReminderSelect value={days} onChange={onChange} />}
    </SettingDialog>
  );
}
